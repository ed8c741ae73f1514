import { detectSignature } from "../file-signature.js";
import { PARSE_LIMITS } from "../limits.js";
import { canvasLibrary } from "./canvas-library.js";
import { encodeJpeg } from "./encode-jpeg.js";
import { isTruncated, readImageSize } from "./image-header.js";

/** An image in a format that every language model with vision accepts. */
export interface PreparedImage {
  readonly mimeType: "image/png" | "image/jpeg";
  readonly bytes: Uint8Array;
}

/**
 * The maximum length of the longer side. Services scale larger images down: Anthropic to 1,568 pixels and OpenAI to
 * 2,048, according to their vision guides.
 */
export const MAX_SHOWN_PIXELS = 1568;
/** Keeps an image in Base64 below the 5 MB per image that services allow. */
const MAX_BYTES = 3_500_000;
const ACCEPTED_TYPES: readonly string[] = ["image/png", "image/jpeg"];
const DECODABLE_TYPES: readonly string[] = [...ACCEPTED_TYPES, "image/gif", "image/bmp", "image/webp"];

/**
 * Prepares an image for a language model. Converts it to JPEG if it is large or in a format that few models accept.
 * Returns `null` if it cannot be decoded, has more than 50 megapixels, or is truncated. Rejects if it is damaged in
 * another way.
 */
export async function prepareImage(bytes: Uint8Array): Promise<PreparedImage | null> {
  const mimeType = detectSignature(null, bytes)?.mimeType ?? "";
  const size = DECODABLE_TYPES.includes(mimeType) && !isTruncated(bytes) ? readImageSize(bytes) : null;
  if (size === null || size.width * size.height > PARSE_LIMITS.maxPixels) return null;
  const isSmall = Math.max(size.width, size.height) <= MAX_SHOWN_PIXELS && bytes.length <= MAX_BYTES;
  if (isSmall && ACCEPTED_TYPES.includes(mimeType)) return { mimeType: mimeType as PreparedImage["mimeType"], bytes };
  const image = await canvasLibrary().loadImage(bytes);
  return { mimeType: "image/jpeg", bytes: await encodeJpeg(image, MAX_SHOWN_PIXELS) };
}
