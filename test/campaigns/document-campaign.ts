import { pooledPreparer } from "#dist/parse-workers/pooled-preparer.js";
import type { SourceFile } from "../../src/interfaces/parser.js";

const TIMEOUT_MS = 120_000;
const MAX_MEMORY_BYTES = 1.2 * 1024 ** 3;
/** Documents at a time. */
const CONCURRENCY = 4;

/**
 * Prepares documents, each file in turn, as an ingest does: parsed and chunked in threads and processes, which are
 * closed at the end.
 * @param options.onDocuments Called after each of these numbers of documents, with nothing under way.
 * @returns how many chunks they had
 */
export async function documentCampaign(options: {
  readonly files: readonly SourceFile[];
  readonly stops: readonly number[];
  onDocuments?(done: number): Promise<void>;
}): Promise<number> {
  const { files, stops } = options;
  const preparer = pooledPreparer({
    parsers: [],
    chunker: null,
    languageModel: null,
    timeoutMs: TIMEOUT_MS,
    maxMemoryBytes: MAX_MEMORY_BYTES,
  });
  const chunk = { chunkSize: 2048, maxChunkSize: 4096, chunkOverlap: 0, delimiter: null, maxTokens: null };
  const countTokens = async (texts: readonly string[]) => texts.map(() => 0);
  let [next, chunks] = [0, 0];
  const worker = async (stop: number) => {
    while (next < stop) {
      const file = files[next++ % files.length]!;
      // What prepares a document takes its bytes away.
      const load = async () => ({ ...file, bytes: new Uint8Array(file.bytes) });
      const document = await preparer.prepare(load, { parse: {}, chunk: { ...chunk, countTokens } });
      chunks += document.chunks.length;
    }
  };
  try {
    for (const stop of stops) {
      await Promise.all(Array.from({ length: CONCURRENCY }, () => worker(stop)));
      await options.onDocuments?.(stop);
    }
  } finally {
    await preparer.close();
  }
  return chunks;
}
