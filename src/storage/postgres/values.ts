import type { CustomTypesConfig } from "pg";
import { decodeText, encodeText } from "../../util/postgres-text.js";
import type { SqlValue } from "../sql-value.js";

const BOOLEAN = 16;
const BYTES = 17;
const NUMBERS = [20, 21, 23, 26, 700, 701, 1700];

/** Lists are for `unnest`. */
export type Parameter =
  | SqlValue
  | boolean
  | readonly (number | null)[]
  | readonly (string | null)[]
  | readonly (Uint8Array | null)[];

/** Converts a parameter to what the package pg sends. */
export function toParameter(value: Parameter): unknown {
  if (typeof value === "string") return encodeText(value);
  if (Array.isArray(value)) return value.map(toParameter);
  return value;
}

/** Reads integers of all sizes and decimals as numbers, bytes as `Uint8Array`, and everything else as text or boolean. */
export const VALUE_TYPES: CustomTypesConfig = { getTypeParser: (oid: number) => PARSERS.get(oid) ?? decodeText };

const PARSERS = new Map<number, (text: string) => unknown>([
  ...NUMBERS.map((oid) => [oid, Number] as const),
  [BYTES, toBytes],
  [BOOLEAN, (text) => text === "t"],
]);

/** Bytes at the start of their own buffer, since callers read them as numbers of four bytes. */
function toBytes(hex: string): Uint8Array {
  const bytes = new Uint8Array((hex.length - 2) / 2);
  Buffer.from(bytes.buffer).write(hex.slice(2), "hex");
  return bytes;
}
