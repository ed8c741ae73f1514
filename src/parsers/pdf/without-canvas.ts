import { hasCanvasLibrary } from "../image/canvas-library.js";

/** Classes of browsers that pdfjs takes from `@napi-rs/canvas` when it is imported. */
const NAMES = ["DOMMatrix", "ImageData", "Path2D"] as const;

/**
 * Imports pdfjs where `@napi-rs/canvas` is not installed. On import pdfjs constructs a `DOMMatrix`, and warns on the console that drawing
 * won't work. Only drawing uses these classes, never the extraction of text, so empty ones stand in for them meanwhile.
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
