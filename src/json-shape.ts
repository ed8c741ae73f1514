const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

export interface JsonShape {
  /** The most lists and objects within each other. */
  readonly depth: number;
  /** Values, lists and objects among them. */
  readonly values: number;
}

/** How deep brackets are nested and how many values there may be, outside of strings: counted before parsing, which may take seconds. */
export function jsonShape(json: Uint8Array): JsonShape {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]!;
    if (inString) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === 0x7b || byte === 0x5b) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    } else if (byte === COMMA) {
      values++;
    }
  }
  return { depth: deepest, values };
}
