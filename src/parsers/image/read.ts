import { INSTALL_OCR } from "../../domain/text-recognition.js";
import { KnowledgeBaseError } from "../../errors.js";
import type { Block, ReadImage } from "../../interfaces/block.js";
import type { ParsedDocument, ParseOptions, SourceFile } from "../../interfaces/parser.js";
import { detectSignature } from "../file-signature.js";
import { PARSE_LIMITS } from "../limits.js";
import { Headings } from "../pdf/headings/headings.js";
import { LinkMarks } from "../pdf/page/link-marks.js";
import { timeLimitWarning } from "../pdf/page/page-list.js";
import { splitFurniture } from "../pdf/page-furniture.js";
import { CrossReferences } from "../pdf/text/cross-references.js";
import { pagesToBlocks } from "../pdf/to-blocks.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { fileOverLimit, invalidFile } from "../shared/errors/file-errors.js";
import { showsImagesToModel } from "../shared/html/image-options.js";
import { addConfidence, lowConfidenceWarning } from "../shared/ocr/confidence.js";
import { type ImageLayout, imageLayout } from "../shared/ocr/image-layout.js";
import { ocrLanguage } from "../shared/ocr/ocr-language.js";
import type { RenderableImage } from "../shared/ocr/raster.js";
import { recogniseImage } from "../shared/ocr/recognise-image.js";
import { recogniser } from "../shared/ocr/recogniser.js";
import { canvasLibrary } from "./canvas-library.js";
import { decodeImage } from "./decode-image.js";
import { encodeJpeg } from "./encode-jpeg.js";
import { IMAGE_TYPES, type ImageSize, isTruncated, readImageSize } from "./image-header.js";
import { MAX_SHOWN_PIXELS } from "./prepare-image.js";
import { readTiffPages, type TiffPage, withFirstPage } from "./tiff-pages.js";

const TIFF_TYPE = "image/tiff";
/** The margin in pixels around the words of a table, for ruling lines and descenders. */
const TABLE_MARGIN_PIXELS = 12;
/** The share of the time limit for parsing that text recognition can use. */
const OCR_TIME_SHARE = 0.7;

/** Recognises the text of an image, or of each page of a TIFF file. */
export async function readImage(file: SourceFile, options: ParseOptions): Promise<ParsedDocument> {
  const { config = {}, signal, onProgress } = options;
  const mimeType = detectSignature(file.name, file.bytes)?.mimeType ?? "";
  if (!IMAGE_TYPES.includes(mimeType)) throw invalidFile(file.name, "is not a supported image.");
  const isTiff = mimeType === TIFF_TYPE;
  const sizes = isTiff ? readTiffPages(file.bytes, PARSE_LIMITS.maxPages) : [readImageSize(file.bytes)];
  assertSizes(file, sizes);
  const { language, warnings } = languageOf(options);
  const layouts: ImageLayout[] = [];
  const latePages: number[] = [];
  const deadline = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY) * OCR_TIME_SHARE;
  for (const [index, size] of language === null ? [] : sizes.entries()) {
    signal?.throwIfAborted();
    if (performance.now() > deadline) {
      latePages.push(index + 1);
      continue;
    }
    onProgress?.();
    const image = await decode(file, isTiff ? (size as TiffPage) : null, language!, options);
    const ocrSettings = { ...ocrEffort(image, config.mode), language: language!, signal, onProgress };
    const recognised = await recogniseImage(image, ocrSettings);
    layouts.push(imageLayout(index + 1, image, recognised, ""));
  }
  const pages = layouts.map(({ page }) => page);
  const words = layouts.flatMap((layout) => layout.words);
  const isComplete = isTiff || !isTruncated(file.bytes);
  if (!isComplete && language !== null && words.length === 0)
    throw invalidFile(file.name, "is a truncated or damaged image.");
  warnings.push(...timeLimitWarning(latePages));
  if (!isComplete) warnings.push("The image is truncated; the missing part could not be read.");
  const list = new BlockList();
  pagesToBlocks(list, pages, splitFurniture(pages), new Headings(pages, () => false), {
    marks: new LinkMarks(),
    references: new CrossReferences(),
  });
  const recognisedBlocks = addConfidence(list.blocks, words);
  const images = sizes.map((size): ReadImage => {
    if (!isTiff) return () => file.bytes;
    return () => recogniser.toPng(withFirstPage(file.bytes, size as TiffPage), { language: language ?? "eng", signal });
  });
  return {
    blocks: options.ask ? withImages(recognisedBlocks, images, options) : recognisedBlocks,
    title: null,
    mimeType,
    pages: sizes.length,
    metadata: {},
    warnings: [...warnings, ...lowConfidenceWarning(words)],
  };
}

/**
 * Returns the OCR language, or `null` and a warning if OCR is not installed but a language model will read the image.
 */
function languageOf(options: ParseOptions): { language: string | null; warnings: string[] } {
  try {
    return ocrLanguage(options.config?.languageCode);
  } catch (error) {
    if (!showsImagesToModel(options) || !KnowledgeBaseError.is(error, "unsupported")) throw error;
    const warning = `The text of the image was not recognised. Install text recognition with: ${INSTALL_OCR}`;
    return { language: null, warnings: [warning] };
  }
}

/**
 * Adds the images that a language model is shown: the image of each page before the blocks of the page, and a picture
 * of each table.
 */
function withImages(blocks: readonly Block[], images: readonly ReadImage[], options: ParseOptions): readonly Block[] {
  return images.flatMap((read, index): Block[] => {
    const page = index + 1;
    const image: Block = { kind: "image", text: "", headingPath: [], page, origin: "native", readImage: read };
    const onPage = blocks.filter((block) => block.page === page);
    const withPictures = onPage.map((block): Block => {
      const { kind, bbox } = block;
      if (kind !== "table" || bbox === undefined) return block;
      return { ...block, readImage: async () => crop(await read(), bbox) };
    });
    return showsImagesToModel(options) ? [image, ...withPictures] : withPictures;
  });
}

async function crop(
  bytes: Uint8Array,
  [left, top, right, bottom]: readonly [number, number, number, number],
): Promise<Uint8Array> {
  const image = await canvasLibrary().loadImage(bytes);
  return encodeJpeg(image, MAX_SHOWN_PIXELS, [
    left - TABLE_MARGIN_PIXELS,
    top - TABLE_MARGIN_PIXELS,
    right + TABLE_MARGIN_PIXELS,
    bottom + TABLE_MARGIN_PIXELS,
  ]);
}

function assertSizes(file: SourceFile, sizes: readonly (ImageSize | null)[]): asserts sizes is ImageSize[] {
  if (sizes.length === 0 || sizes.includes(null))
    throw invalidFile(file.name, "is a truncated or damaged image: its size cannot be read.");
  if (sizes.length > PARSE_LIMITS.maxPages)
    throw fileOverLimit(file.name, `has more than the ${PARSE_LIMITS.maxPages} pages allowed.`);
  for (const { width, height } of sizes as readonly ImageSize[]) {
    if (width * height <= PARSE_LIMITS.maxPixels) continue;
    const limit = PARSE_LIMITS.maxPixels / 1e6;
    throw fileOverLimit(file.name, `has ${width} × ${height} pixels, more than the ${limit} megapixels allowed.`);
  }
}

async function decode(
  file: SourceFile,
  page: TiffPage | null,
  language: string,
  { signal }: ParseOptions,
): Promise<RenderableImage> {
  try {
    if (page === null) return await decodeImage(file.bytes);
    return await decodeImage(await recogniser.toPng(withFirstPage(file.bytes, page), { language, signal }));
  } catch (error) {
    signal?.throwIfAborted();
    if (KnowledgeBaseError.is(error, "unsupported")) throw error;
    throw invalidFile(file.name, "is a truncated or damaged image: it cannot be decoded.", error);
  }
}

/**
 * Returns how OCR scales an image, and whether it is limited to one pass. Few images declare their physical size, so
 * small images are assumed to have small letters.
 */
function ocrEffort({ width, height }: RenderableImage, mode: string | undefined) {
  const scale = Math.min(3, Math.max(1, 2400 / Math.max(width, height)));
  return { scale, maxScale: mode === "accurate" ? 6 : 5, isFast: mode === "fast" };
}
