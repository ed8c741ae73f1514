import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import type { DocumentInitParameters } from "pdfjs-dist/types/src/display/api.js";
import { hasCanvasLibrary } from "../image/canvas-library.js";
import { restoreBuiltIns } from "./restore-built-ins.js";

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
 * Loads pdfjs with its own worker. pdfjs would otherwise load the worker with the first document, and the worker would
 * replace built-ins.
 */
export async function loadPdfjsWithWorker(): Promise<Pdfjs> {
  const pdfjs = await loadPdfjs();
  loadingWorker ??= restoreBuiltIns(() => import(WORKER));
  await loadingWorker;
  return pdfjs;
}

// The worker has no type declarations; it registers itself in the global scope, where pdfjs looks for it.
const WORKER: string = "pdfjs-dist/legacy/build/pdf.worker.mjs";

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
