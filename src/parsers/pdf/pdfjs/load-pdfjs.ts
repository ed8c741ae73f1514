import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import type { DocumentInitParameters } from "pdfjs-dist/types/src/display/api.js";
import { Semaphore } from "../../../util/semaphore.js";
import { hasCanvasLibrary } from "../../image/canvas-library.js";
import { restoreBuiltIns } from "./restore-built-ins.js";
import { runPatchedWorker } from "./run-patched-worker.js";
import { type ConvertRows, type DecodedImage, shrinkImage, shrinkRows } from "./shrink-image.js";
import { RENDERING_PATCHES } from "./worker-patches.js";

type Pdfjs = typeof import("pdfjs-dist/legacy/build/pdf.mjs");

let loading: Promise<Pdfjs> | null = null;
let loadingWorker: Promise<unknown> | null = null;
let packageFolder: string | null = null;

/** Loads pdfjs without its worker. */
export function loadPdfjs(): Promise<Pdfjs> {
  loading ??= restoreBuiltIns(() => withoutCanvas(() => import("pdfjs-dist/legacy/build/pdf.mjs")));
  return loading;
}

/**
 * Loads pdfjs with a worker that can render. pdfjs would otherwise load the worker with the first document, and the
 * worker would replace built-ins.
 */
export async function loadPdfjsWithWorker(): Promise<Pdfjs> {
  const pdfjs = await loadPdfjs();
  loadingWorker ??= restoreBuiltIns(loadWorker);
  await loadingWorker;
  return pdfjs;
}

// The worker has no type declarations; it registers itself in the global scope, where pdfjs looks for it.
const WORKER: string = "pdfjs-dist/legacy/build/pdf.worker.mjs";

async function loadWorker(): Promise<void> {
  const shrink = (image: DecodedImage): DecodedImage => {
    const result = shrinkImage(image, maxImagePixels);
    if (result !== image) freeBuffer(image.data!);
    return result;
  };
  const worker = await runPatchedWorker(RENDERING_PATCHES, {
    shrink,
    shrinkRows: (image: DecodedImage, convert: ConvertRows) => shrinkRows(image, maxImagePixels, convert),
    freeBuffer,
  });
  if (worker === null) await import(WORKER);
}

/** Frees the buffer of an array at once, and not with the next garbage collection, by transferring it. */
function freeBuffer({ buffer }: Uint8Array | Uint8ClampedArray): void {
  structuredClone(null, { transfer: [buffer as ArrayBuffer] });
}

let maxImagePixels = Number.POSITIVE_INFINITY;
const rendering = new Semaphore(1);

/**
 * Renders a page, one at a time in the process, since the images of a page may take hundreds of megabytes.
 *
 * @param pixels The pixels of the rendered page. Images with more than four times as many are shrunk.
 * @param signal Ends the waiting for other pages. `render` must heed it itself.
 * @throws the signal's reason if it is aborted before the page's turn
 */
export function renderAlone<Result>(
  pixels: number,
  render: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  return rendering.run(
    async () => {
      maxImagePixels = pixels;
      try {
        return await render();
      } finally {
        maxImagePixels = Number.POSITIVE_INFINITY;
      }
    },
    { signal },
  );
}

/** Returns options for opening a document without evaluating code or using the network. */
export function documentOptions(bytes: Uint8Array, { VerbosityLevel }: Pdfjs): DocumentInitParameters {
  return {
    // pdfjs takes ownership of the bytes, so it gets a copy.
    data: new Uint8Array(bytes),
    cMapUrl: pdfjsFolder("cmaps"),
    wasmUrl: pdfjsFolder("wasm"),
    isEvalSupported: false,
    useWorkerFetch: false,
    useSystemFonts: false,
    isOffscreenCanvasSupported: false,
    verbosity: VerbosityLevel.ERRORS,
  };
}

/** Returns the path of a folder in the pdfjs package, with a trailing separator. */
export function pdfjsFolder(name: string): string {
  packageFolder ??= dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));
  return join(packageFolder, name) + sep;
}

/** Browser classes that pdfjs imports from `@napi-rs/canvas`. */
const CANVAS_CLASSES = ["DOMMatrix", "ImageData", "Path2D"] as const;

/**
 * Imports pdfjs without `@napi-rs/canvas`. On import, pdfjs constructs a `DOMMatrix` and warns on the console that
 * rendering won't work. Text extraction doesn't use the canvas classes, so empty classes replace them on import.
 */
async function withoutCanvas<T>(load: () => Promise<T>): Promise<T> {
  if (hasCanvasLibrary()) return load();
  const missing = CANVAS_CLASSES.filter((name) => !(name in globalThis));
  const { warn } = console;
  for (const name of missing) Object.defineProperty(globalThis, name, { value: class {}, configurable: true });
  console.warn = (...values: unknown[]) => {
    if (!String(values[0]).includes("@napi-rs/canvas")) warn(...values);
  };
  try {
    return await load();
  } finally {
    console.warn = warn;
    for (const name of missing) Reflect.deleteProperty(globalThis, name);
  }
}
