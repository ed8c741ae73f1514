import { type RenderableImage, rasterOf } from "../shared/ocr/raster.js";
import { type CanvasContext, canvasLibrary } from "./canvas-library.js";

/** Decodes an image, to be rendered at any scale: a pixel is a point. Rejects a damaged image with the reason. */
export async function decodeImage(bytes: Uint8Array): Promise<RenderableImage> {
  const { loadImage, createCanvas } = canvasLibrary();
  const image = await loadImage(bytes);
  const { width, height } = image;
  return {
    width,
    height,
    async draw(scale) {
      const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
      // One canvas for all strips: the first is the highest.
      let context: CanvasContext | null = null;
      return rasterOf(across, down, (top, rows) => {
        context ??= createCanvas(across, rows).getContext("2d");
        context.fillStyle = "#fff";
        context.fillRect(0, 0, across, rows);
        context.imageSmoothingQuality = "high";
        context.drawImage(image, 0, -top, across, down);
        return context.getImageData(0, 0, across, rows).data;
      });
    },
  };
}
