/**
 * Runs a function that loads pdfjs, then restores the built-ins that pdfjs replaces. Its build for Node substitutes
 * slow polyfills for native functions with rare bugs, for the whole process: adding to an array would take several
 * times as long.
 */
export async function restoreBuiltIns<T>(load: () => Promise<T>): Promise<T> {
  const { push } = Array.prototype;
  const { parse, stringify } = JSON;
  try {
    return await load();
  } finally {
    Object.defineProperty(Array.prototype, "push", builtInProperty(push));
    Object.defineProperty(JSON, "parse", builtInProperty(parse));
    Object.defineProperty(JSON, "stringify", builtInProperty(stringify));
  }
}

function builtInProperty(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: false, configurable: true };
}
