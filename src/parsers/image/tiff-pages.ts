import type { ImageSize } from "./image-header.js";

const WIDTH = 256;
const HEIGHT = 257;
const SUBFILE_TYPE = 254;
const REDUCED = 1;
const LONG = 4;

export interface TiffPage extends ImageSize {
  /** Offset of its tags in the file. */
  readonly directory: number;
}

/** The pages of a TIFF file, without reduced copies of them; none if the file is damaged. */
export function tiffPages(bytes: Uint8Array, maxPages: number): TiffPage[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLittle = bytes[0] === 0x49;
  const pages: TiffPage[] = [];
  const seen = new Set<number>();
  try {
    for (let at = view.getUint32(4, isLittle); at !== 0 && !seen.has(at) && pages.length <= maxPages; ) {
      seen.add(at);
      const count = view.getUint16(at, isLittle);
      const tags = new Map<number, number>();
      for (let entry = at + 2; entry < at + 2 + count * 12; entry += 12) {
        const isLong = view.getUint16(entry + 2, isLittle) === LONG;
        const value = isLong ? view.getUint32(entry + 8, isLittle) : view.getUint16(entry + 8, isLittle);
        tags.set(view.getUint16(entry, isLittle), value);
      }
      const [width = 0, height = 0] = [tags.get(WIDTH), tags.get(HEIGHT)];
      const isReduced = ((tags.get(SUBFILE_TYPE) ?? 0) & REDUCED) !== 0;
      if (width > 0 && height > 0 && !isReduced) pages.push({ width, height, directory: at });
      at = view.getUint32(at + 2 + count * 12, isLittle);
    }
  } catch (error) {
    // A directory beyond the end of the file: the pages before it are complete.
    if (!(error instanceof RangeError)) throw error;
  }
  return pages;
}

/** The file with one of its pages made the first, which is the one that decoders return. */
export function tiffFrom(bytes: Uint8Array, { directory }: TiffPage): Uint8Array {
  const copy = new Uint8Array(bytes);
  new DataView(copy.buffer).setUint32(4, directory, bytes[0] === 0x49);
  return copy;
}
