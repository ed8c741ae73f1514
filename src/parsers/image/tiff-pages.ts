import type { ImageSize } from "./image-header.js";

/** TIFF tag numbers. */
const WIDTH = 256;
const HEIGHT = 257;
const SUBFILE_TYPE = 254;
/** The bit of a reduced copy in the subfile type. */
const REDUCED_IMAGE = 1;
/** The field type of 32-bit numbers. */
const LONG = 4;

export interface TiffPage extends ImageSize {
  /** The offset of the image file directory of the page. */
  readonly directoryOffset: number;
}

/**
 * Reads the pages of a TIFF file up to the first damaged page. Skips reduced copies.
 *
 * @returns At most one page more than `maxPages`, which shows that the limit is exceeded.
 */
export function readTiffPages(bytes: Uint8Array, maxPages: number): TiffPage[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLittleEndian = bytes[0] === 0x49;
  const pages: TiffPage[] = [];
  const seen = new Set<number>();
  try {
    for (let at = view.getUint32(4, isLittleEndian); at !== 0 && !seen.has(at) && pages.length <= maxPages; ) {
      seen.add(at);
      const count = view.getUint16(at, isLittleEndian);
      const tags = new Map<number, number>();
      for (let entry = at + 2; entry < at + 2 + count * 12; entry += 12) {
        const isLong = view.getUint16(entry + 2, isLittleEndian) === LONG;
        const value = isLong ? view.getUint32(entry + 8, isLittleEndian) : view.getUint16(entry + 8, isLittleEndian);
        tags.set(view.getUint16(entry, isLittleEndian), value);
      }
      const [width = 0, height = 0] = [tags.get(WIDTH), tags.get(HEIGHT)];
      const isReduced = ((tags.get(SUBFILE_TYPE) ?? 0) & REDUCED_IMAGE) !== 0;
      if (width > 0 && height > 0 && !isReduced) pages.push({ width, height, directoryOffset: at });
      at = view.getUint32(at + 2 + count * 12, isLittleEndian);
    }
  } catch (error) {
    // The directory extends past the end of the file. The pages read so far are complete.
    if (!(error instanceof RangeError)) throw error;
  }
  return pages;
}

/** Returns a copy of the file in which a page comes first, because decoders return only the first page. */
export function withFirstPage(bytes: Uint8Array, { directoryOffset }: TiffPage): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  new DataView(copy.buffer).setUint32(4, directoryOffset, bytes[0] === 0x49);
  return copy;
}
