const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_ARRAY = 0x5d;

/**
 * Measures the structure of a JSON text before it is parsed: `JSON.parse` takes about 70 bytes of memory per bracket,
 * and seconds for millions of values. Takes the text's UTF-8 bytes in chunks of any size.
 */
export class JsonShape {
  #openCount = 0;
  #depth = 0;
  #containerCount = 0;
  #valueCount = 1;
  #inString = false;
  #isEscaped = false;

  /** Maximum nesting of arrays and objects. */
  get depth(): number {
    return this.#depth;
  }

  /** Number of arrays and objects. */
  get containerCount(): number {
    return this.#containerCount;
  }

  /** Number of values, including arrays and objects. */
  get valueCount(): number {
    return this.#valueCount;
  }

  /** Adds the next chunk of the text. */
  add(json: Uint8Array): this {
    let [openCount, depth] = [this.#openCount, this.#depth];
    let [containerCount, valueCount] = [this.#containerCount, this.#valueCount];
    let [inString, isEscaped] = [this.#inString, this.#isEscaped];
    for (let index = 0; index < json.length; index++) {
      const byte = json[index]!;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) {
        inString = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        valueCount++;
        containerCount++;
        if (++openCount > depth) depth = openCount;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        openCount--;
      } else if (byte === COMMA) {
        valueCount++;
      }
    }
    [this.#openCount, this.#depth] = [openCount, depth];
    [this.#containerCount, this.#valueCount] = [containerCount, valueCount];
    [this.#inString, this.#isEscaped] = [inString, isEscaped];
    return this;
  }
}
