import { createRequire } from "node:module";
import { getErrorMessage, KnowledgeBaseError } from "../../errors.js";

/** The part of the API of `@napi-rs/canvas` that is used. */
export interface CanvasLibrary {
  loadImage(bytes: Uint8Array): Promise<CanvasImage>;
  createCanvas(width: number, height: number): Canvas;
}

/** A decoded image or a canvas. */
export interface CanvasImage {
  readonly width: number;
  readonly height: number;
}

export interface Canvas extends CanvasImage {
  getContext(kind: "2d"): CanvasContext;
  /** @param quality From 0 to 100. */
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

/** The red, green, blue and alpha values of each pixel, row by row. */
export interface Pixels {
  readonly data: Uint8ClampedArray;
}

const PACKAGE_NAME = "@napi-rs/canvas";
/** The command that installs the package in a version that pdfjs accepts. */
const INSTALL_COMMAND = `npm install ${PACKAGE_NAME}@0.1`;

/**
 * Loads the copy of the canvas library that pdfjs uses: a process with two copies of this native library crashes.
 *
 * @throws `unsupported` with the install command if the library is missing or does not load.
 */
export function canvasLibrary(): CanvasLibrary {
  try {
    return pdfjsRequire()(PACKAGE_NAME) as CanvasLibrary;
  } catch (cause) {
    const problem = hasCanvasLibrary() ? `does not load here (${getErrorMessage(cause)})` : "is not installed";
    const message = `Rendering pages and images needs the package ${PACKAGE_NAME}, which ${problem}.`;
    throw new KnowledgeBaseError("unsupported", `${message} Install it with: ${INSTALL_COMMAND}`, { cause });
  }
}

/** Returns whether the canvas library is installed. It can still fail to load. */
export function hasCanvasLibrary(): boolean {
  try {
    pdfjsRequire().resolve(PACKAGE_NAME);
    return true;
  } catch {
    return false;
  }
}

function pdfjsRequire(): NodeJS.Require {
  return createRequire(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
}
