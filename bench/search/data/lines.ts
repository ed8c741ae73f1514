import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** Reads the first lines of a text file in batches. */
export async function* lineBatches(path: string, count: number, size: number): AsyncGenerator<readonly string[]> {
  let batch: string[] = [];
  let remaining = count;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (remaining-- === 0) break;
    batch.push(line);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
