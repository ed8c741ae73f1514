/** Bytes as a binary string, with the range in the original text that each byte comes from. */
export interface MappedBytes {
  readonly bytes: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Maps the UTF-8 bytes of a text, or the bytes of a binary string, to their positions in it. */
export function mapBytes(text: string, encoding: "utf8" | "latin1" = "utf8"): MappedBytes {
  const builder = new MappedBytesBuilder();
  let position = 0;
  for (const character of text) {
    const bytes = encoding === "latin1" || character < "\u0080" ? character : utf8(character);
    builder.add(bytes, position, position + character.length);
    position += character.length;
  }
  return builder.build();
}

const ESCAPE =
  /%([0-9a-f]{2})|\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|\\(["'\\/bfnrt])|&#(\d{1,7});|&#x([0-9a-f]{1,6});|&(amp|lt|gt|quot|apos);/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const CONTROLS: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Decodes the escapes of URLs, JSON, JavaScript and HTML. Returns `null` if there are none. */
export function decodeEscapeSequences(source: MappedBytes): MappedBytes | null {
  const builder = new MappedBytesBuilder();
  let from = 0;
  for (const match of source.bytes.matchAll(ESCAPE)) {
    const end = match.index + match[0].length;
    builder.copy(source, from, match.index);
    builder.add(decodeEscape(match), source.starts[match.index]!, source.ends[end - 1]!);
    from = end;
  }
  if (from === 0) return null;
  builder.copy(source, from, source.bytes.length);
  return builder.build();
}

/** Decodes `+` as a space, as in HTML forms. */
export function decodePlus({ bytes, ...ranges }: MappedBytes): MappedBytes {
  return { bytes: bytes.replaceAll("+", " "), ...ranges };
}

function decodeEscape(match: RegExpMatchArray): string {
  const [, percent, high, low, unit, codePoint, byte, character, decimal, hexadecimal, entity] = match;
  const hex = percent ?? byte;
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  if (high !== undefined) return utf8(String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low!, 16)));
  if (unit !== undefined) return utf8(String.fromCharCode(Number.parseInt(unit, 16)));
  if (character !== undefined) return CONTROLS[character] ?? character;
  if (entity !== undefined) return ENTITIES[entity.toLowerCase()]!;
  const code = decimal === undefined ? Number.parseInt((codePoint ?? hexadecimal)!, 16) : Number(decimal);
  return utf8(code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd");
}

function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

class MappedBytesBuilder {
  readonly #bytes: string[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  add(bytes: string, start: number, end: number): void {
    this.#bytes.push(bytes);
    for (let count = bytes.length; count > 0; count--) {
      this.#starts.push(start);
      this.#ends.push(end);
    }
  }

  copy(source: MappedBytes, from: number, to: number): void {
    this.#bytes.push(source.bytes.slice(from, to));
    for (let position = from; position < to; position++) {
      this.#starts.push(source.starts[position]!);
      this.#ends.push(source.ends[position]!);
    }
  }

  build(): MappedBytes {
    return { bytes: this.#bytes.join(""), starts: this.#starts, ends: this.#ends };
  }
}
