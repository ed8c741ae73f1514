import { type CanvasImage, canvasLibrary } from "./canvas-library.js";

/** The left, top, right and bottom edge, in pixels of the image. */
type PixelBox = readonly [number, number, number, number];

const JPEG_QUALITY = 90;

/**
 * Encodes an image, or a part of it, as JPEG on a white background. Applies the EXIF orientation.
 *
 * @param maxSidePixels The maximum length of the longer side; larger images are scaled down.
 * @param box The part to encode. @default the whole image
 */
export async function encodeJpeg(image: CanvasImage, maxSidePixels: number, box?: PixelBox): Promise<Uint8Array> {
  const [left, top, right, bottom] = box ?? [0, 0, image.width, image.height];
  const scale = Math.min(1, maxSidePixels / Math.max(right - left, bottom - top));
  const canvas = canvasLibrary().createCanvas(
    Math.max(1, Math.round((right - left) * scale)),
    Math.max(1, Math.round((bottom - top) * scale)),
  );
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = "high";
  context.drawImage(image, -left * scale, -top * scale, image.width * scale, image.height * scale);
  return canvas.encode("jpeg", JPEG_QUALITY);
}
