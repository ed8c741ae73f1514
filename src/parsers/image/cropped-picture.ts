import { canvasLibrary } from "./canvas-library.js";

const JPEG_QUALITY = 90;

/** A part of a picture, as a JPEG picture. */
export async function croppedPicture(
  bytes: Uint8Array,
  [left, top, right, bottom]: readonly [number, number, number, number],
): Promise<Uint8Array> {
  const { loadImage, createCanvas } = canvasLibrary();
  const canvas = createCanvas(Math.max(1, Math.ceil(right - left)), Math.max(1, Math.ceil(bottom - top)));
  canvas.getContext("2d").drawImage(await loadImage(bytes), -left, -top);
  return canvas.encode("jpeg", JPEG_QUALITY);
}
