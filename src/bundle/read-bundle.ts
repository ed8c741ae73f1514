import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { KnowledgeBaseError } from "../errors.js";
import type { CallOptions } from "../types.js";
import { HASH_DIGITS, LineHash } from "./line-hash.js";
import { RecordOrder } from "./record-order.js";
import { type BundleRecord, recordSchema } from "./records.js";

const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEW_LINE = 0x0a;

/**
 * Reads the records of a bundle and checks each of them: its hash, its form and its place. Holds one line at a time.
 * @throws KnowledgeBaseError `not_found`, `invalid_input` that names the first place at which the bundle is damaged
 */
export async function* readBundle(path: string, { signal }: CallOptions): AsyncGenerator<BundleRecord> {
  const hash = new LineHash();
  const order = new RecordOrder();
  let [number, offset] = [0, 0];
  const refuse = (problem: string) =>
    new KnowledgeBaseError(
      "invalid_input",
      `The bundle ${path} is refused: line ${number}, at byte ${offset} (${order.place}), ${problem}.`,
    );
  if (!(await stat(path).catch(() => null))?.isFile())
    throw new KnowledgeBaseError("not_found", `There is no bundle ${path}.`);
  for await (const { bytes, isComplete } of lines(path, signal)) {
    number++;
    if (!isComplete) throw refuse("is cut off or too long");
    const json = bytes.subarray(HASH_DIGITS + 1);
    if (bytes.toString("latin1", 0, HASH_DIGITS + 1) !== `${hash.next(json)} `)
      throw refuse(number === 1 ? "is not the first line of a bundle" : "was changed: its hash differs");
    const record = parseRecord(json);
    if (typeof record === "string") throw refuse(record);
    const problem = order.add(record);
    if (problem !== null) throw refuse(problem);
    yield record;
    offset += bytes.length + 1;
  }
  number++;
  if (!order.isComplete) throw refuse("is missing: the bundle was cut off");
}

/** Returns the record, or what is wrong with it. */
function parseRecord(json: Buffer): BundleRecord | string {
  let value: unknown;
  try {
    value = JSON.parse(json.toString("utf8"));
  } catch {
    return "is not JSON";
  }
  const { data, error } = recordSchema.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  return `is not a valid record: ${issue!.path.join(".") || "type"}: ${issue!.message}`;
}

/** Splits a file into lines. The last one is incomplete if it has no line break or is too long. */
async function* lines(
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly bytes: Buffer; readonly isComplete: boolean }> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let to = chunk.indexOf(NEW_LINE); to !== -1; to = chunk.indexOf(NEW_LINE, from)) {
      parts.push(chunk.subarray(from, to));
      yield { bytes: parts.length === 1 ? parts[0]! : Buffer.concat(parts), isComplete: true };
      [parts, size, from] = [[], 0, to + 1];
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE_BYTES) break;
  }
  if (size > 0) yield { bytes: Buffer.concat(parts), isComplete: false };
}
