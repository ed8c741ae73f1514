import { KnowledgeBaseError } from "lorebase";
import { pooledPreparer } from "#dist/parse-workers/pooled-preparer.js";
import { needsSeparateProcess } from "#dist/parsers/needs-separate-process.js";
import { goodFiles } from "./good-files.js";
import { type Random, seededRandom } from "./random.js";

/** A damaged file that takes longer hangs. */
const TIMEOUT_MS = 30_000;
const MAX_MEMORY_BYTES = 1.2 * 1024 ** 3;
/** Documents at a time. */
const CONCURRENCY = 4;
/** How a damaged file may be refused. */
const REFUSALS = ["invalid_input", "unsupported", "limit_exceeded"];
/** The errors of a worker that crashed or was terminated. */
const CRASHED = /The parser crashed: it was terminated by SIG/;
const STOPPED = /^Parsing (?:took longer|needed more memory)/;

export interface MutationOutcome {
  readonly read: number;
  readonly refused: number;
  /** Documents whose process crashed; no other one noticed. */
  readonly contained: number;
  /** The file's parser and number, and what went wrong. */
  readonly faults: readonly string[];
}

/** Damages good files of every format, by a seed, and parses them as an ingest does. */
export async function mutationCampaign(options: {
  readonly files: number;
  readonly seed: number;
  onFile?(done: number): void;
}): Promise<MutationOutcome> {
  const preparer = pooledPreparer({
    parsers: [],
    chunker: null,
    languageModel: null,
    timeoutMs: TIMEOUT_MS,
    maxMemoryBytes: MAX_MEMORY_BYTES,
  });
  const samples = await goodFiles();
  const chunk = { chunkSize: 2048, maxChunkSize: 4096, chunkOverlap: 0, delimiter: null, maxTokens: null };
  const faults: string[] = [];
  let [read, refused, contained, next, done] = [0, 0, 0, 0, 0];
  const worker = async () => {
    while (next < options.files) {
      const number = next++;
      const [name, file] = samples[number % samples.length]!;
      const damaged = { ...file, bytes: damage(file.bytes, seededRandom(options.seed * 1_000_003 + number)) };
      try {
        const countTokens = async (texts: readonly string[]) => texts.map(() => 0);
        await preparer.prepare(async () => damaged, { parse: {}, chunk: { ...chunk, countTokens } });
        read++;
      } catch (error) {
        if (KnowledgeBaseError.is(error) && REFUSALS.includes(error.code) && !STOPPED.test(error.message)) refused++;
        else if (CRASHED.test(String(error)) && needsSeparateProcess(damaged)) contained++;
        else faults.push(`${name} ${number}: ${error}`);
      }
      options.onFile?.(++done);
    }
  };
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  } finally {
    await preparer.close();
  }
  return { read, refused, contained, faults };
}

/** A copy with bits turned round, a piece cut off, zeroed or repeated. */
function damage(original: Uint8Array, random: Random): Uint8Array {
  // Of a Buffer, a slice is no copy: it would be taken away with the damaged file.
  const bytes = new Uint8Array(original);
  const place = () => random.integer(0, bytes.length - 1);
  const copy = bytes.slice();
  const start = place();
  const length = random.integer(1, 64);
  switch (random.pick(["cut", "zero", "move", "repeat", "flip", "flip"])) {
    case "cut":
      return bytes.slice(0, start);
    case "zero":
      return copy.fill(0, start, start + length);
    case "move":
      return copy.copyWithin(start, place(), place());
    case "repeat":
      return new Uint8Array(Buffer.concat([bytes.subarray(0, start + length), bytes.subarray(start)]));
    default:
      for (let flip = 0; flip < length; flip++) {
        const at = place();
        copy[at] = copy[at]! ^ (1 << random.integer(0, 7));
      }
      return copy;
  }
}
