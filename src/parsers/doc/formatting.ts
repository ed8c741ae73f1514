/** A formatting property (sprm): its code and the value of its operand, of which at most four bytes are read. */
export interface Property {
  readonly code: number;
  readonly operand: number;
}

/** A range of file offsets with the same formatting. */
export interface FormatRun {
  readonly start: number;
  readonly end: number;
  readonly style: number;
  readonly properties: readonly Property[];
}

const PAGE_BYTES = 512;

/**
 * Reads the formatting of paragraphs or characters, in ascending order of offset.
 *
 * @param index The structure that lists the pages with the formatting.
 */
export function readFormatting(stream: Uint8Array, index: Uint8Array, kind: "paragraphs" | "characters"): FormatRun[] {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const count = Math.floor((index.length - 4) / 8);
  const runs: FormatRun[] = [];
  const seen = new Set<number>();
  for (let i = 0; i < count; i++) {
    const page = view.getUint32((count + 1) * 4 + i * 4, true) & 0x3fffff;
    const bytes = stream.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
    if (bytes.length < PAGE_BYTES || seen.has(page)) continue;
    seen.add(page);
    for (const run of readPage(bytes, kind)) runs.push(run);
  }
  return runs.sort((a, b) => a.start - b.start);
}

/** Returns the run that contains an offset, or `undefined` if none does. */
export function runAt(runs: readonly FormatRun[], offset: number): FormatRun | undefined {
  const found = runs[lastStartIndex(runs, offset)];
  return found !== undefined && found.start <= offset && offset < found.end ? found : undefined;
}

/**
 * Returns the index of the last range that starts at or before a position, or 0 if none does. The ranges must be in
 * ascending order.
 */
export function lastStartIndex(ranges: readonly { readonly start: number }[], position: number): number {
  let low = 0;
  let high = ranges.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ranges[middle]!.start <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

function readPage(page: Uint8Array, kind: "paragraphs" | "characters"): FormatRun[] {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  const count = page[PAGE_BYTES - 1]!;
  const entryBytes = kind === "paragraphs" ? 13 : 1;
  const runs: FormatRun[] = [];
  if ((count + 1) * 4 + count * entryBytes > PAGE_BYTES - 1) return runs;
  for (let i = 0; i < count; i++) {
    const at = page[(count + 1) * 4 + i * entryBytes]! * 2;
    const bounds = { start: view.getUint32(i * 4, true), end: view.getUint32((i + 1) * 4, true) };
    if (at === 0) {
      runs.push({ ...bounds, style: 0, properties: [] });
      continue;
    }
    let start = at + 1;
    let length = page[at]!;
    if (kind === "paragraphs") {
      // The length counts 16-bit words. If the first byte is zero, the next byte holds the length.
      if (length === 0) length = (page[start++] ?? 0) * 2;
      else length = length * 2 - 1;
    }
    const data = page.subarray(start, Math.min(start + length, PAGE_BYTES - 1));
    const style = kind === "paragraphs" && data.length >= 2 ? data[0]! | (data[1]! << 8) : 0;
    runs.push({ ...bounds, style, properties: readProperties(kind === "paragraphs" ? data.subarray(2) : data) });
  }
  return runs;
}

/** The operand size by the upper three bits of the code; 6 means that a length precedes the operand. */
const OPERAND_BYTES = [1, 1, 2, 4, 2, 2, 0, 3] as const;

/** The property of a table's columns, whose length takes two bytes instead of one. */
const TABLE_DEFINITION = 0xd608;

/** Parses a list of properties. The upper three bits of a code give the size of its operand. */
export function readProperties(bytes: Uint8Array): Property[] {
  const properties: Property[] = [];
  let at = 0;
  while (at + 2 < bytes.length) {
    const code = bytes[at]! | (bytes[at + 1]! << 8);
    at += 2;
    let length: number = OPERAND_BYTES[code >> 13]!;
    if (code >> 13 === 6)
      length = code === TABLE_DEFINITION ? 1 + bytes[at]! + (bytes[at + 1] ?? 0) * 256 : 1 + bytes[at]!;
    let operand = 0;
    for (let i = 0; i < Math.min(4, length); i++) operand += (bytes[at + i] ?? 0) * 256 ** i;
    properties.push({ code, operand });
    at += length;
  }
  return properties;
}
