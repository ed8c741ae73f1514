/** MIME types of the supported images. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/tiff", "image/gif", "image/bmp", "image/webp"];

export interface ImageSize {
  /** The width in pixels, as stored: before the EXIF orientation is applied. */
  readonly width: number;
  readonly height: number;
}

/**
 * Reads the size of a PNG, JPEG, GIF, BMP or WebP image from its header, without decoding the image. Returns `null` for
 * other formats and for headers without a size.
 */
export function readImageSize(bytes: Uint8Array): ImageSize | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = readSize(view);
    return size !== null && size.width > 0 && size.height > 0 ? size : null;
  } catch (error) {
    // The file ends within the header.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readSize(view: Buffer): ImageSize | null {
  const magic = view.toString("latin1", 0, 4);
  if (magic === "\x89PNG") return { width: view.readUInt32BE(16), height: view.readUInt32BE(20) };
  if (magic === "GIF8") return { width: view.readUInt16LE(6), height: view.readUInt16LE(8) };
  if (magic === "RIFF") return readWebpSize(view);
  if (magic.startsWith("BM")) return readBmpSize(view);
  return readJpegSize(view);
}

function readBmpSize(view: Buffer): ImageSize {
  // The oldest BMP header has 12 bytes and 16-bit numbers.
  if (view.readUInt32LE(14) === 12) return { width: view.readUInt16LE(18), height: view.readUInt16LE(20) };
  return { width: Math.abs(view.readInt32LE(18)), height: Math.abs(view.readInt32LE(22)) };
}

function readWebpSize(view: Buffer): ImageSize | null {
  const chunkType = view.toString("latin1", 12, 16);
  if (chunkType === "VP8X") return { width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 };
  if (chunkType === "VP8 ") return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
  if (chunkType !== "VP8L") return null;
  const bits = view.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function readJpegSize(view: Buffer): ImageSize | null {
  for (let at = 2; at + 9 < view.length; ) {
    if (view[at] !== 0xff) return null;
    const marker = view[at + 1]!;
    if (marker === 0xff) at++;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { width: view.readUInt16BE(at + 7), height: view.readUInt16BE(at + 5) };
    else at += 2 + view.readUInt16BE(at + 2);
  }
  return null;
}

/** Returns whether an image is truncated. Decoders return truncated images with a blank remainder. */
export function isTruncated(bytes: Uint8Array): boolean {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.toString("latin1", 0, 4);
  if (magic === "\x89PNG") return !view.includes("IEND", -64 * 1024, "latin1");
  if (magic === "RIFF") return view.readUInt32LE(4) > view.length;
  if (magic.startsWith("\xff\xd8")) return view.lastIndexOf("\xff\xd9", undefined, "latin1") < view.length / 2;
  if (magic === "GIF8") return view.lastIndexOf(0x3b) < view.length / 2;
  return magic.startsWith("BM") && view.readUInt32LE(2) > view.length;
}
