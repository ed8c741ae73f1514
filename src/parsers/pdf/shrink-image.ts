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

/**
 * Halves an opaque image until it has less than four times `maxPixels`, as pdfjs would when it draws the image. Until
 * then the whole image would take four bytes a pixel: 140 MB for a page scanned at 600 dpi. A smaller image has no `ref`,
 * since other pages may show it larger.
 */
export function shrinkImage<Image extends DecodedImage>(image: Image, maxPixels: number): Image {
  const { width, height, kind, data } = image;
  const halvings = Math.floor(Math.log2((width * height) / maxPixels) / 2);
  if (!(halvings > 0) || !data || (kind !== ONE_BIT && kind !== RGB)) return image;
  const factor = 2 ** halvings;
  const [columns, rows] = [Math.ceil(width / factor), Math.ceil(height / factor)];
  const result = new Uint8ClampedArray(columns * rows * 3);
  const sums = new Uint32Array(columns * 3);
  for (let row = 0; row < rows; row++) {
    const [from, to] = [row * factor, Math.min(height, (row + 1) * factor)];
    sums.fill(0);
    for (let y = from; y < to; y++) {
      if (kind === RGB) addRgbRow(sums, data, y * width * 3, width, factor);
      else addBitRow(sums, data, y * ((width + 7) >> 3), width, factor);
    }
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
