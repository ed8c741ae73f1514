import { type Picture, rasterOf } from "../ocr/raster.js";
import { canvasLibrary, drawn } from "./canvas-library.js";

/** Decodes a picture, to be drawn at any scale: a pixel is a point. Fails with what is wrong with a damaged one. */
export async function decodePicture(bytes: Uint8Array): Promise<Picture> {
  const image = await canvasLibrary().loadImage(bytes);
  const { width, height } = image;
  return {
    width,
    height,
    async draw(scale) {
      const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
      const context = drawn(image, across, down).getContext("2d");
      return rasterOf(context.getImageData(0, 0, across, down).data, across, down);
    },
  };
}
