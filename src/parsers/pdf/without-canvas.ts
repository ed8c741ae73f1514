import { hasCanvasLibrary } from "../image/canvas-library.js";

/** Browser classes that pdfjs imports from `@napi-rs/canvas`. */
const NAMES = ["DOMMatrix", "ImageData", "Path2D"] as const;

/**
 * Imports pdfjs without `@napi-rs/canvas`. On import pdfjs constructs a `DOMMatrix` and warns on the console that
 * rendering won't work. Only rendering uses these classes, not text extraction, so empty ones replace them meanwhile.
 */
export async function withoutCanvas<T>(load: () => Promise<T>): Promise<T> {
  if (hasCanvasLibrary()) return load();
  const absent = NAMES.filter((name) => !(name in globalThis));
  const { warn } = console;
  for (const name of absent) Object.defineProperty(globalThis, name, { value: class {}, configurable: true });
  console.warn = (...values: unknown[]) => {
    if (!String(values[0]).includes("@napi-rs/canvas")) warn(...values);
  };
  try {
    return await load();
  } finally {
    console.warn = warn;
    for (const name of absent) Reflect.deleteProperty(globalThis, name);
  }
}
