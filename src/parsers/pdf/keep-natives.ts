/**
 * Runs what loads pdfjs and leaves the process as it was. Its build for Node puts slow scripts in the place of natives
 * that it finds wanting in rare cases, for all code in the process: adding to an array then takes several times as long.
 */
export async function keepNatives<T>(load: () => Promise<T>): Promise<T> {
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
