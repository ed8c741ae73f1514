import { createRequire } from "node:module";
import { type Picture, rasterOf } from "../ocr/raster.js";

interface Image {
  readonly width: number;
  readonly height: number;
}

interface CanvasLibrary {
  loadImage(bytes: Uint8Array): Promise<Image>;
  createCanvas(
    width: number,
    height: number,
  ): {
    getContext(kind: "2d"): {
      fillStyle: string;
      imageSmoothingQuality: string;
      fillRect(x: number, y: number, width: number, height: number): void;
      drawImage(image: Image, x: number, y: number, width: number, height: number): void;
      getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
    };
  };
}

/** Decodes a picture, to be drawn at any scale: a pixel is a point. Fails with what is wrong with a damaged one. */
export async function decodePicture(bytes: Uint8Array): Promise<Picture> {
  const { loadImage, createCanvas } = canvasLibrary();
  const image = await loadImage(bytes);
  const { width, height } = image;
  return {
    width,
    height,
    async draw(scale) {
      const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
      const context = createCanvas(across, down).getContext("2d");
      context.fillStyle = "#fff";
      context.fillRect(0, 0, across, down);
      context.imageSmoothingQuality = "high";
      context.drawImage(image, 0, 0, across, down);
      return rasterOf(context.getImageData(0, 0, across, down).data, across, down);
    },
  };
}

/** The copy that pdfjs uses: a process with two copies of this native library crashes. */
function canvasLibrary(): CanvasLibrary {
  const pdfjs = createRequire(import.meta.url).resolve("pdfjs-dist/package.json");
  return createRequire(pdfjs)("@napi-rs/canvas") as CanvasLibrary;
}
