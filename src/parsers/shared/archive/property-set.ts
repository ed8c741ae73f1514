import type { Metadata } from "../../../types.js";
import { decodeCodePage } from "../charset/code-page.js";
import type { CompoundFile } from "./compound-file.js";

/** The code page of UTF-16. */
const UTF_16 = 1200;
const TITLE_ID = 2;
const METADATA_KEYS: readonly (readonly [id: number, key: string])[] = [
  [4, "author"],
  [3, "subject"],
  [6, "description"],
  [5, "keywords"],
  [12, "created"],
  [13, "modified"],
];

/** Reads the properties of an Office 97 to 2003 file; returns none if they cannot be read. */
export function summaryProperties(file: CompoundFile): { title: string | null; metadata: Metadata } {
  const stream = file.stream("\x05SummaryInformation");
  if (stream === null) return { title: null, metadata: {} };
  const values = propertyValues(stream);
  const metadata: Record<string, string> = {};
  for (const [id, key] of METADATA_KEYS) {
    const value = values.get(id);
    if (value) metadata[key] = value;
  }
  return { title: values.get(TITLE_ID) || null, metadata };
}

function propertyValues(bytes: Uint8Array): ReadonlyMap<number, string> {
  const values = new Map<number, string>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const start = view.getUint32(44, true);
    const count = Math.min(100, view.getUint32(start + 4, true));
    const entries = Array.from({ length: count }, (_, i) => ({
      id: view.getUint32(start + 8 + i * 8, true),
      at: start + view.getUint32(start + 12 + i * 8, true),
    }));
    const codePageAt = entries.find(({ id }) => id === 1)?.at;
    const codePage = codePageAt === undefined ? 1252 : view.getUint16(codePageAt + 4, true);
    for (const { id, at } of entries) {
      const value = propertyValue(bytes, view, at, codePage);
      if (value !== null) values.set(id, value);
    }
  } catch (error) {
    // A document with a damaged property set is still readable.
    if (!(error instanceof RangeError)) throw error;
  }
  return values;
}

/** Decodes the text before the first zero character. */
function decodeText(bytes: Uint8Array, codePage: number): string {
  const text = codePage === UTF_16 ? new TextDecoder("utf-16le").decode(bytes) : decodeCodePage(bytes, codePage);
  return text.replace(/\0.*$/s, "").trim();
}

function propertyValue(bytes: Uint8Array, view: DataView, at: number, codePage: number): string | null {
  switch (view.getUint16(at, true)) {
    case 0x1e:
      return decodeText(bytes.subarray(at + 8, at + 8 + view.getUint32(at + 4, true)), codePage);
    case 0x1f:
      return decodeText(bytes.subarray(at + 8, at + 8 + view.getUint32(at + 4, true) * 2), UTF_16);
    case 0x40: {
      const ticks = view.getBigUint64(at + 4, true);
      const ms = Number(ticks / 10_000n) - 11_644_473_600_000;
      return ticks === 0n || ms < 0 || ms > 4e12 ? null : new Date(ms).toISOString();
    }
    default:
      return null;
  }
}
