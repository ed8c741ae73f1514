import { createRequire } from "node:module";
import { crc32, deflateSync } from "node:zlib";
import { PDFDocument } from "pdf-lib";
import { PageRenderer } from "#dist/parsers/pdf/scans/page-renderer.js";
import type { Raster } from "../../src/parsers/shared/ocr/raster.js";

/** A page of a PDF as a picture in shades of grey. */
export async function drawPage(pdf: Uint8Array, dpi = 150, page = 1): Promise<Raster> {
  const drawer = await PageRenderer.open(pdf);
  try {
    return await (await drawer.image(page)).render(dpi / 72);
  } finally {
    await drawer.close();
  }
}

export function makePng({ width, height, grey }: Raster): Uint8Array {
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) rows.set(grey.subarray(y * width, (y + 1) * width), y * (width + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const chunk = (type: string, data: Uint8Array): Buffer => {
    const content = Buffer.concat([Buffer.from(type, "latin1"), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(content), 4);
    return Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
  };
  const magic = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([
    magic,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A TIFF file with a page for each picture, not compressed. */
export function makeTiff(pages: readonly Raster[]): Uint8Array {
  const parts: Buffer[] = [Buffer.from("II*\0", "latin1"), Buffer.alloc(4)];
  let at = 8;
  let link = { part: parts[1]!, offset: 0 };
  for (const { width, height, grey } of pages) {
    const tags: readonly (readonly [tag: number, value: number])[] = [
      ...([
        [256, width],
        [257, height],
        [258, 8],
        [259, 1],
        [262, 1],
      ] as const),
      ...([
        [273, at],
        [277, 1],
        [278, height],
        [279, grey.length],
      ] as const),
    ];
    const directory = Buffer.alloc(2 + tags.length * 12 + 4);
    directory.writeUInt16LE(tags.length, 0);
    for (const [i, [tag, value]] of tags.entries()) {
      directory.writeUInt16LE(tag, 2 + i * 12);
      directory.writeUInt16LE(4, 4 + i * 12);
      directory.writeUInt32LE(1, 6 + i * 12);
      directory.writeUInt32LE(value, 10 + i * 12);
    }
    const padding = Buffer.alloc(grey.length % 2);
    parts.push(Buffer.from(grey), padding, directory);
    at += grey.length + padding.length;
    link.part.writeUInt32LE(at, link.offset);
    link = { part: directory, offset: directory.length - 4 };
    at += directory.length;
  }
  return Buffer.concat(parts);
}

/** A PDF whose pages are pictures. */
export async function makeScan(pages: readonly Raster[], dpi = 150): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  for (const raster of pages) {
    const size: [number, number] = [(raster.width * 72) / dpi, (raster.height * 72) / dpi];
    const page = document.addPage(size);
    page.drawImage(await document.embedPng(makePng(raster)), { x: 0, y: 0, width: size[0], height: size[1] });
  }
  return document.save({ useObjectStreams: false });
}

interface Canvas {
  getContext(kind: "2d"): {
    createImageData(width: number, height: number): { readonly data: Uint8ClampedArray };
    putImageData(data: unknown, x: number, y: number): void;
  };
  toBuffer(type: string): Buffer;
}

/** A picture in any format that the canvas of pdfjs writes. */
export function encodePicture({ width, height, grey }: Raster, type: "image/jpeg" | "image/webp"): Buffer {
  const pdfjs = createRequire(import.meta.url).resolve("pdfjs-dist/package.json");
  const { createCanvas } = createRequire(pdfjs)("@napi-rs/canvas") as {
    createCanvas(width: number, height: number): Canvas;
  };
  const canvas = createCanvas(width, height);
  const context = canvas.getContext("2d");
  const pixels = context.createImageData(width, height);
  for (const [i, value] of grey.entries()) pixels.data.set([value, value, value, 255], i * 4);
  context.putImageData(pixels, 0, 0);
  return canvas.toBuffer(type);
}

/** The JPEG with a note that it is to be shown turned: 6 is a quarter clockwise, 3 a half. */
export function withOrientation(jpeg: Buffer, orientation: number): Buffer {
  const exif = Buffer.from(
    "\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0",
    "latin1",
  );
  exif.writeUInt16BE(orientation, 28);
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}
