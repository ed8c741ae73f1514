/**
 * Runs a loader of pdfjs and restores the built-ins that it replaces: its build for Node substitutes slow polyfills for
 * native functions with rare bugs, for all code in the process. Adding to an array then takes several times as long.
 */
export async function restoreBuiltIns<T>(load: () => Promise<T>): Promise<T> {
  const { push } = Array.prototype;
  const { parse, stringify } = JSON;
  try {
    return await load();
  } finally {
    Object.defineProperty(Array.prototype, "push", native(push));
    Object.defineProperty(JSON, "parse", native(parse));
    Object.defineProperty(JSON, "stringify", native(stringify));
  }
}

function native(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: false, configurable: true };
}
