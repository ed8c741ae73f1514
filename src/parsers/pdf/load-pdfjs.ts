import { restoreBuiltIns } from "./restore-built-ins.js";
import { withoutCanvas } from "./without-canvas.js";

type Pdfjs = typeof import("pdfjs-dist/legacy/build/pdf.mjs");

let loading: Promise<Pdfjs> | null = null;
let loadingWorker: Promise<unknown> | null = null;

/** Loads pdfjs without its worker. */
export function loadPdfjs(): Promise<Pdfjs> {
  loading ??= restoreBuiltIns(() => withoutCanvas(() => import("pdfjs-dist/legacy/build/pdf.mjs")));
  return loading;
}

/**
 * Loads pdfjs with its own worker, which it would otherwise load with the first document, and restores the built-ins.
 */
export async function loadPdfjsWithWorker(): Promise<Pdfjs> {
  const pdfjs = await loadPdfjs();
  loadingWorker ??= restoreBuiltIns(() => import(WORKER));
  await loadingWorker;
  return pdfjs;
}

// The worker has no type declarations; it registers itself in the global scope, where pdfjs looks for it.
const WORKER: string = "pdfjs-dist/legacy/build/pdf.worker.mjs";
