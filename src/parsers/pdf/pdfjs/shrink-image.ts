/** A decoded image as pdfjs' worker sends it. */
export interface DecodedImage {
  readonly width: number;
  readonly height: number;
  /** How `data` is laid out: one bit or three bytes a pixel, or other kinds. */
  readonly kind?: number;
  readonly data?: Uint8Array | Uint8ClampedArray | null;
  /** By this reference, pdfjs copies the image to other pages. */
  readonly ref?: unknown;
}

/** `ImageKind` of pdfjs. In rows of whole bytes, white is 1. */
const ONE_BIT = 1;
const RGB = 2;

/** Number of rows that are converted to colours at a time. */
const STRIP_ROWS = 64;

/** Writes the pixels of `count` rows from `top` on to `rgb`. */
export type ConvertRows = (rgb: Uint8ClampedArray, top: number, count: number) => void;

/** Adds the levels of a row's pixels to the sums of red, green and blue of the columns that they are merged to. */
type AddRow = (sums: Uint32Array, row: number, factor: number) => void;

/**
 * Halves an opaque image until it has less than four times `maxPixels`, as pdfjs would when it draws the image. Until
 * then the whole image would take four bytes a pixel: 140 MB for a page scanned at 600 dpi. A smaller image has no `ref`,
 * since other pages may show it larger.
 */
export function shrinkImage<Image extends DecodedImage>(image: Image, maxPixels: number): Image {
  const { width, kind, data } = image;
  if (!data || (kind !== ONE_BIT && kind !== RGB)) return image;
  const addRow: AddRow =
    kind === RGB
      ? (sums, row, factor) => addRgbRow(sums, data, row * width * 3, width, factor)
      : (sums, row, factor) => addBitRow(sums, data, row * ((width + 7) >> 3), width, factor);
  return halved(image, maxPixels, addRow) ?? image;
}

/**
 * Does the same to an image whose rows are yet to be converted to RGB. Returns `null` if the image stays as it is.
 */
export function shrinkRows<Image extends DecodedImage>(
  image: Image,
  maxPixels: number,
  convert: ConvertRows,
): Image | null {
  const { width, height } = image;
  let strip: Uint8ClampedArray | undefined;
  return halved(image, maxPixels, (sums, row, factor) => {
    strip ??= new Uint8ClampedArray(width * Math.min(STRIP_ROWS, height) * 3);
    const position = row % STRIP_ROWS;
    if (position === 0) convert(strip, row, Math.min(STRIP_ROWS, height - row));
    addRgbRow(sums, strip, position * width * 3, width, factor);
  });
}

/** @param addRow Is called once for each row, from top to bottom. */
function halved<Image extends DecodedImage>(image: Image, maxPixels: number, addRow: AddRow): Image | null {
  const { width, height } = image;
  const halvings = Math.floor(Math.log2((width * height) / maxPixels) / 2);
  if (!(halvings > 0)) return null;
  const factor = 2 ** halvings;
  const [columns, rows] = [Math.ceil(width / factor), Math.ceil(height / factor)];
  const result = new Uint8ClampedArray(columns * rows * 3);
  const sums = new Uint32Array(columns * 3);
  for (let row = 0; row < rows; row++) {
    const [from, to] = [row * factor, Math.min(height, (row + 1) * factor)];
    sums.fill(0);
    for (let y = from; y < to; y++) addRow(sums, y, factor);
    for (let i = 0; i < sums.length; i++) {
      const column = Math.floor(i / 3);
      const count = (to - from) * (Math.min(width, (column + 1) * factor) - column * factor);
      result[row * sums.length + i] = sums[i]! / count;
    }
  }
  return { ...image, width: columns, height: rows, kind: RGB, data: result, ref: undefined };
}

function addRgbRow(
  sums: Uint32Array,
  data: Uint8Array | Uint8ClampedArray,
  start: number,
  width: number,
  factor: number,
): void {
  for (let x = 0, i = start, at = 0, rest = factor; x < width; x++, i += 3) {
    sums[at]! += data[i]!;
    sums[at + 1]! += data[i + 1]!;
    sums[at + 2]! += data[i + 2]!;
    if (--rest > 0) continue;
    at += 3;
    rest = factor;
  }
}

function addBitRow(
  sums: Uint32Array,
  data: Uint8Array | Uint8ClampedArray,
  start: number,
  width: number,
  factor: number,
): void {
  for (let x = 0; x < width; x++) {
    if (((data[start + (x >> 3)]! >> (7 - (x & 7))) & 1) === 0) continue;
    const at = Math.floor(x / factor) * 3;
    for (let i = at; i < at + 3; i++) sums[i]! += 255;
  }
}
