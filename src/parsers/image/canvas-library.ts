import { createRequire } from "node:module";

/** What is used of `@napi-rs/canvas`. */
export interface CanvasLibrary {
  loadImage(bytes: Uint8Array): Promise<CanvasImage>;
  createCanvas(width: number, height: number): Canvas;
}

export interface CanvasImage {
  readonly width: number;
  readonly height: number;
}

export interface Canvas {
  getContext(kind: "2d"): CanvasContext;
  /** @param quality 0 to 100 */
  encode(format: "jpeg", quality: number): Promise<Uint8Array>;
}

export interface CanvasContext {
  fillStyle: string;
  imageSmoothingQuality: string;
  fillRect(x: number, y: number, width: number, height: number): void;
  drawImage(image: CanvasImage, x: number, y: number, width?: number, height?: number): void;
  getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
}

/** The copy that pdfjs uses: a process with two copies of this native library crashes. */
export function canvasLibrary(): CanvasLibrary {
  const pdfjs = createRequire(import.meta.url).resolve("pdfjs-dist/package.json");
  return createRequire(pdfjs)("@napi-rs/canvas") as CanvasLibrary;
}

/** A picture on white, in so many pixels. */
export function drawn(image: CanvasImage, width: number, height: number): Canvas {
  const canvas = canvasLibrary().createCanvas(width, height);
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, width, height);
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, width, height);
  return canvas;
}
