import { fileSignature } from "../file-signature.js";
import { PARSE_LIMITS } from "../limits.js";
import { asJpeg } from "./as-jpeg.js";
import { canvasLibrary } from "./canvas-library.js";
import { isCutOff } from "./is-cut-off.js";
import { pictureSize } from "./picture-size.js";

/** A picture as every language model that sees takes it. */
export interface ShownPicture {
  readonly mimeType: "image/png" | "image/jpeg";
  readonly bytes: Uint8Array;
}

/**
 * Along the longer side: services scale down what is larger (Anthropic's and OpenAI's guides to vision: 1,568 and 2,048
 * pixels).
 */
export const MAX_SHOWN_PIXELS = 1568;
/** Below the 5 MB that services take of one picture, in Base64. */
const MAX_BYTES = 3_500_000;
const AS_IT_IS: readonly string[] = ["image/png", "image/jpeg"];
const DECODED: readonly string[] = [...AS_IT_IS, "image/gif", "image/bmp", "image/webp"];

/**
 * A picture to be shown to a language model: as it is, or redrawn where it is large or of a format that few models
 * take. Null where it is of no format that can be decoded, has more than 50 megapixels, or ends before its end. Fails
 * where it is damaged otherwise.
 */
export async function shownPicture(bytes: Uint8Array): Promise<ShownPicture | null> {
  const mimeType = fileSignature(null, bytes)?.mimeType ?? "";
  const size = DECODED.includes(mimeType) && !isCutOff(bytes) ? pictureSize(bytes) : null;
  if (size === null || size.width * size.height > PARSE_LIMITS.maxPixels) return null;
  const isSmall = Math.max(size.width, size.height) <= MAX_SHOWN_PIXELS && bytes.length <= MAX_BYTES;
  if (isSmall && AS_IT_IS.includes(mimeType)) return { mimeType: mimeType as ShownPicture["mimeType"], bytes };
  const image = await canvasLibrary().loadImage(bytes);
  return { mimeType: "image/jpeg", bytes: await asJpeg(image, MAX_SHOWN_PIXELS) };
}
