import type { SourceFile } from "../../src/interfaces/parser.js";
import type { Raster } from "../../src/parsers/shared/ocr/raster.js";
import { makePdf, pdfLines, sourceFile } from "../support/make-files.js";
import { drawPage, encodePicture, makePng, makeScan, makeTiff } from "../support/make-pictures.js";
import { PARSER_SAMPLES } from "../support/parser-samples.js";

/** A small good file of every format, with a name for each; pictures in every way that they come. */
export async function goodFiles(): Promise<readonly (readonly [name: string, file: SourceFile])[]> {
  const { image: _, ...samples } = PARSER_SAMPLES;
  const page = await drawPage(await makePdf([pdfLines(["Words on a picture"], 20, 30, 14)]), 96);
  const picture = cut(page, 260, 70);
  return [
    ...Object.entries(samples).map(([name, { file }]) => [name, file] as const),
    ["png", sourceFile("a.png", makePng(picture))],
    ["jpeg", sourceFile("a.jpg", encodePicture(picture, "image/jpeg"))],
    ["webp", sourceFile("a.webp", encodePicture(picture, "image/webp"))],
    ["tiff", sourceFile("a.tif", makeTiff([picture, picture]))],
    ["scan", sourceFile("scan.pdf", await makeScan([picture], 96))],
  ];
}

/** The upper left corner of a picture. */
function cut({ grey, width: stride }: Raster, width: number, height: number): Raster {
  const rows = Array.from({ length: height }, (_, y) => grey.subarray(y * stride, y * stride + width));
  return { width, height, grey: new Uint8Array(Buffer.concat(rows)) };
}
