import type { NumberedList, NumberLevel } from "../shared/office/list-counter.js";

/** Number formats by their codes, as docx names them. Formats of other scripts are shown in digits. */
const FORMATS: Readonly<Record<number, string>> = {
  1: "upperRoman",
  2: "lowerRoman",
  3: "upperLetter",
  4: "lowerLetter",
  22: "decimalZero",
  23: "bullet",
  255: "none",
};

const DEFINITION_BYTES = 28;
const LEVEL_BYTES = 28;
const OVERRIDE_BYTES = 16;
const LEVEL_COUNT = 9;
/** The maximum number of lists; documents have as many as Word has started anew. */
const MAX_LISTS = 20_000;

/**
 * Reads the lists of a document by the ids of paragraphs: from 1, in the order of the overrides.
 *
 * @param definitions The structure with the definitions of lists and, after its declared end, their levels.
 * @param overrides The structure with the lists of paragraphs, each with its definition and where it starts anew.
 * @throws RangeError if a structure is truncated.
 */
export function readLists(definitions: Uint8Array, overrides: Uint8Array): ReadonlyMap<number, NumberedList> {
  const lists = new Map<number, NumberedList>();
  if (definitions.length < 2 || overrides.length < 4) return lists;
  const levelsById = readDefinitions(definitions);
  const view = viewOf(overrides);
  const count = Math.min(view.getUint32(0, true), MAX_LISTS);
  let at = 4 + count * OVERRIDE_BYTES;
  for (let i = 0; i < count; i++) {
    const entry = 4 + i * OVERRIDE_BYTES;
    const id = view.getInt32(entry, true);
    const levels = new Map(levelsById.get(id));
    const restarts = new Map<number, number>();
    at += 4;
    for (let left = view.getUint8(entry + 12); left > 0; left--) {
      const start = view.getInt32(at, true);
      const flags = view.getUint32(at + 4, true);
      const level = flags & 0xf;
      at += 8;
      if ((flags & 0x10) !== 0 && (flags & 0x20) === 0) restarts.set(level, start);
      if ((flags & 0x20) !== 0) {
        const read = readLevel(overrides, at);
        levels.set(level, read.level);
        at = read.end;
      }
    }
    lists.set(i + 1, { familyId: String(id), levels, restarts });
  }
  return lists;
}

function readDefinitions(bytes: Uint8Array): Map<number, Map<number, NumberLevel>> {
  const view = viewOf(bytes);
  const count = Math.min(view.getUint16(0, true), MAX_LISTS);
  const levelsById = new Map<number, Map<number, NumberLevel>>();
  let at = 2 + count * DEFINITION_BYTES;
  for (let i = 0; i < count; i++) {
    const entry = 2 + i * DEFINITION_BYTES;
    const isSimple = (view.getUint8(entry + 26) & 1) !== 0;
    const levels = new Map<number, NumberLevel>();
    for (let level = 0; level < (isSimple ? 1 : LEVEL_COUNT); level++) {
      const read = readLevel(bytes, at);
      levels.set(level, read.level);
      at = read.end;
    }
    levelsById.set(view.getInt32(entry, true), levels);
  }
  return levelsById;
}

/** Reads a level: its numbering, two lists of properties, and the text of a number, in which a code stands for a level. */
function readLevel(bytes: Uint8Array, at: number): { readonly level: NumberLevel; readonly end: number } {
  const view = viewOf(bytes);
  const textAt = at + LEVEL_BYTES + view.getUint8(at + 24) + view.getUint8(at + 25);
  const length = view.getUint16(textAt, true);
  const end = textAt + 2 + length * 2;
  const text = new TextDecoder("utf-16le", { ignoreBOM: true }).decode(bytes.subarray(textAt + 2, end));
  const level = {
    start: Math.max(0, view.getInt32(at, true)),
    format: FORMATS[view.getUint8(at + 4)] ?? "decimal",
    pattern: text.replace(/\p{Cc}/gu, (code) => `%${code.charCodeAt(0) + 1}`),
    isLegal: (view.getUint8(at + 5) & 4) !== 0,
  };
  return { level, end };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
