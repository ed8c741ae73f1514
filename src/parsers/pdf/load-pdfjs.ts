import { keepNatives } from "./keep-natives.js";
import { withoutCanvas } from "./without-canvas.js";

type Pdfjs = typeof import("pdfjs-dist/legacy/build/pdf.mjs");

let loading: Promise<Pdfjs> | null = null;
let loadingWorker: Promise<unknown> | null = null;

/** Loads pdfjs without its worker. */
export function loadPdfjs(): Promise<Pdfjs> {
  loading ??= keepNatives(() => withoutCanvas(() => import("pdfjs-dist/legacy/build/pdf.mjs")));
  return loading;
}

/** Loads pdfjs with its own worker, which the library would load itself with the first document, natives replaced. */
export async function loadPdfjsWithWorker(): Promise<Pdfjs> {
  const pdfjs = await loadPdfjs();
  loadingWorker ??= keepNatives(() => import(WORKER));
  await loadingWorker;
  return pdfjs;
}

// Has no declarations; what it gives is put into the global scope, where the library looks for it.
const WORKER: string = "pdfjs-dist/legacy/build/pdf.worker.mjs";
