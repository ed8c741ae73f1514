import { KnowledgeBase, type NamespaceHandle } from "lorebase";
import { lineBatches } from "../data/lines.js";
import type { Setup, System } from "../system.js";
import { bucketOf, CHUNKS_PER_DOCUMENT, TOP_K, type Workload } from "../workload.js";
import { PreparedEmbedder } from "./prepared-embedder.js";

export const SLUG = "bench";
const DELIMITER = "⁂";
const DOCUMENTS_PER_JOB = 500;

/** The rows of a document's chunks, and the value for filters. */
type RowMetadata = { readonly first: number; readonly bucket: number };

/** The engine as callers use it: filled by ingest jobs, queried by `search`. */
export const lorebase: System = {
  async fill(setup) {
    const embedder = new PreparedEmbedder(setup.workload);
    const kb = open(setup, embedder, {});
    try {
      await kb.namespaces.create({
        name: "Bench",
        slug: SLUG,
        embeddingConfig: embedder.config,
        ...(setup.settings.store && { vectorStoreConfig: { provider: "MANAGED_SQLITE_VEC", ...setup.settings.store } }),
      });
      await ingestRows(kb.namespace<RowMetadata>(SLUG), chunkTexts(setup.workload));
    } finally {
      await kb.close();
    }
  },

  async open(setup) {
    const embedder = new PreparedEmbedder(setup.workload);
    const kb = open(setup, embedder, { worker: false });
    await kb.start();
    const handle = kb.namespace<RowMetadata>(SLUG);
    const options = { topK: TOP_K, rerank: false, ...setup.settings.search };
    return {
      async search(query) {
        if (query.kind === "vector") embedder.expect(query.vector);
        const hits =
          query.kind === "text"
            ? await handle.search(query.text, { mode: "keyword", ...options })
            : await handle.search("prepared", {
                mode: "semantic",
                ...(query.bucket === null ? {} : { filter: { bucket: query.bucket } }),
                ...options,
              });
        return () => hits.map(({ metadata }) => metadata!.first + Number(metadata!.sequence_number));
      },
      close: () => kb.close(),
    };
  },
};

function open({ directory, settings }: Setup, embedder: PreparedEmbedder, options: object): KnowledgeBase {
  return new KnowledgeBase({ directory, embedders: [embedder.provider], ...options, ...settings.open });
}

/** Ingests chunks in consecutive jobs of some hundred documents. */
export async function ingestRows(
  handle: NamespaceHandle<RowMetadata>,
  texts: AsyncIterable<string> | Iterable<string>,
  firstRow = 0,
): Promise<void> {
  const documents: string[][] = [];
  let row = firstRow;
  const flush = async () => {
    const items = documents.splice(0).map((chunks) => {
      const metadata = { first: row, bucket: bucketOf(row) };
      row += chunks.length;
      return { type: "TEXT" as const, text: chunks.join(DELIMITER), config: { metadata } };
    });
    const before = row;
    const job = await (await handle.ingest({ type: "BATCH", items }, { delimiter: DELIMITER, chunkSize: 4096 })).done();
    if (job.status !== "COMPLETED")
      throw new Error(`The job that ends before row ${before} is ${job.status}: ${job.error}`);
  };
  for await (const text of texts) {
    if ((documents.at(-1)?.length ?? CHUNKS_PER_DOCUMENT) === CHUNKS_PER_DOCUMENT) {
      if (documents.length === DOCUMENTS_PER_JOB) await flush();
      documents.push([]);
    }
    documents.at(-1)!.push(text);
  }
  if (documents.length > 0) await flush();
}

async function* chunkTexts({ kind, rows, file }: Workload): AsyncGenerator<string> {
  if (kind === "vectors") for (let row = 0; row < rows; row++) yield `row ${row}`;
  else for await (const texts of lineBatches(file, rows, 10_000)) yield* texts;
}
