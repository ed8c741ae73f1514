import { fileSignature } from "../file-signature.js";
import { PARSE_LIMITS } from "../limits.js";
import { canvasLibrary, drawn } from "./canvas-library.js";
import { type PictureSize, pictureSize } from "./picture-size.js";

/** A picture as every language model that sees takes it. */
export interface ShownPicture {
  readonly mimeType: "image/png" | "image/jpeg";
  readonly bytes: Uint8Array;
}

/** Services scale down what is larger on its longer side (Anthropic's and OpenAI's guides to vision: 1,568 and 2,048 pixels). */
const MAX_SIDE = 1568;
/** Below the 5 MB that services take of one picture, in Base64. */
const MAX_BYTES = 3_500_000;
const JPEG_QUALITY = 90;
const AS_IT_IS: readonly string[] = ["image/png", "image/jpeg"];
const DECODED: readonly string[] = [...AS_IT_IS, "image/gif", "image/bmp", "image/webp"];

/**
 * A picture to be shown to a language model: as it is, or redrawn where it is large or of a format that few models take.
 * Null where it is of no format that can be decoded. Fails where it is damaged.
 */
export async function shownPicture(bytes: Uint8Array): Promise<ShownPicture | null> {
  const mimeType = fileSignature(null, bytes)?.mimeType ?? "";
  const size = DECODED.includes(mimeType) ? pictureSize(bytes) : null;
  if (size === null || size.width * size.height > PARSE_LIMITS.maxPixels) return null;
  const longest = Math.max(size.width, size.height);
  if (AS_IT_IS.includes(mimeType) && longest <= MAX_SIDE && bytes.length <= MAX_BYTES)
    return { mimeType: mimeType as ShownPicture["mimeType"], bytes };
  return redrawn(bytes, size, Math.min(1, MAX_SIDE / longest));
}

async function redrawn(bytes: Uint8Array, { width, height }: PictureSize, scale: number): Promise<ShownPicture> {
  const image = await canvasLibrary().loadImage(bytes);
  const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  return { mimeType: "image/jpeg", bytes: await drawn(image, across, down).encode("jpeg", JPEG_QUALITY) };
}
