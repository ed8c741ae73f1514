import { createRequire } from "node:module";
import { KnowledgeBaseError, messageOf } from "../../errors.js";

/** The part of `@napi-rs/canvas` that is used. */
export interface CanvasLibrary {
  loadImage(bytes: Uint8Array): Promise<CanvasImage>;
  createCanvas(width: number, height: number): Canvas;
}

/** An image, or another canvas. */
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

const PACKAGE = "@napi-rs/canvas";
/** Installs it in a version that pdfjs accepts. */
const INSTALL_CANVAS = `npm install ${PACKAGE}@0.1`;

/**
 * Loads the copy that pdfjs uses: a process with two copies of this native library crashes.
 *
 * @throws `unsupported` with the command to install it
 */
export function canvasLibrary(): CanvasLibrary {
  try {
    return pdfjsRequire()(PACKAGE) as CanvasLibrary;
  } catch (cause) {
    const problem = hasCanvasLibrary() ? `does not load here (${messageOf(cause)})` : "is not installed";
    const message = `Rendering pages and images needs the package ${PACKAGE}, which ${problem}.`;
    throw new KnowledgeBaseError("unsupported", `${message} Install it with: ${INSTALL_CANVAS}`, { cause });
  }
}

/** Whether the canvas library is installed; it may still fail to load. */
export function hasCanvasLibrary(): boolean {
  try {
    pdfjsRequire().resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}

function pdfjsRequire(): NodeJS.Require {
  return createRequire(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
}
