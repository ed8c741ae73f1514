import { type RenderableImage, rasterOf } from "../shared/ocr/raster.js";
import { type CanvasContext, canvasLibrary } from "./canvas-library.js";

/** Decodes an image for rendering at any scale. One pixel counts as one point. Rejects if the image is damaged. */
export async function decodeImage(bytes: Uint8Array): Promise<RenderableImage> {
  const { loadImage, createCanvas } = canvasLibrary();
  const image = await loadImage(bytes);
  const { width, height } = image;
  return {
    width,
    height,
    async render(scale) {
      const pixelWidth = Math.max(1, Math.round(width * scale));
      const pixelHeight = Math.max(1, Math.round(height * scale));
      // All strips are drawn on one canvas, which is as high as the first and highest strip.
      let context: CanvasContext | null = null;
      return rasterOf(pixelWidth, pixelHeight, (top, rowCount) => {
        context ??= createCanvas(pixelWidth, rowCount).getContext("2d");
        context.fillStyle = "#fff";
        context.fillRect(0, 0, pixelWidth, rowCount);
        context.imageSmoothingQuality = "high";
        context.drawImage(image, 0, -top, pixelWidth, pixelHeight);
        return context.getImageData(0, 0, pixelWidth, rowCount).data;
      });
    },
  };
}
