type Pdfjs = typeof import("pdfjs-dist/legacy/build/pdf.mjs");

let loading: Promise<Pdfjs> | null = null;

/**
 * Loads pdfjs with the process left as it was. Its build for Node puts slow scripts in the place of natives that it
 * finds wanting in rare cases, for all code in the process: adding to an array then takes several times as long.
 */
export function loadPdfjs(): Promise<Pdfjs> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Pdfjs> {
  const { push } = Array.prototype;
  const { parse, stringify } = JSON;
  try {
    const pdfjs = await import("pdfjs-dist/legacy/build/pdf.mjs");
    // The library would load this part itself with the first document, and replace the natives again.
    await import(WORKER);
    return pdfjs;
  } finally {
    Object.defineProperty(Array.prototype, "push", native(push));
    Object.defineProperty(JSON, "parse", native(parse));
    Object.defineProperty(JSON, "stringify", native(stringify));
  }
}

// Has no declarations; what it gives is put into the global scope, where the library looks for it.
const WORKER: string = "pdfjs-dist/legacy/build/pdf.worker.mjs";

function native(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: false, configurable: true };
}
