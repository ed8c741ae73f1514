import { createRequire } from "node:module";

/** What is used of `@napi-rs/canvas`. */
export interface CanvasLibrary {
  loadImage(bytes: Uint8Array): Promise<CanvasImage>;
  createCanvas(width: number, height: number): Canvas;
}

/** A picture, or another canvas. */
export interface CanvasImage {
  readonly width: number;
  readonly height: number;
}

export interface Canvas extends CanvasImage {
  getContext(kind: "2d"): CanvasContext;
  /** @param quality 0 to 100 */
  encode(format: "jpeg", quality: number): Promise<Uint8Array>;
}

export interface CanvasContext {
  fillStyle: string;
  imageSmoothingQuality: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  drawImage(image: CanvasImage, x: number, y: number, width: number, height: number): void;
  getImageData(x: number, y: number, width: number, height: number): Pixels;
  putImageData(pixels: Pixels, x: number, y: number): void;
}

/** Red, green, blue and alpha of each pixel, row by row. */
export interface Pixels {
  readonly data: Uint8ClampedArray;
}

/** The copy that pdfjs uses: a process with two copies of this native library crashes. */
export function canvasLibrary(): CanvasLibrary {
  const pdfjs = createRequire(import.meta.url).resolve("pdfjs-dist/package.json");
  return createRequire(pdfjs)("@napi-rs/canvas") as CanvasLibrary;
}
