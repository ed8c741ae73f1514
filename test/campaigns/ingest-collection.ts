import type { BatchItem, KnowledgeBase } from "lorebase";
import type { Collection } from "#dist/evaluate/read-collection.js";

const BATCH = 1000;

/** Ingests a collection into a new namespace of its name: one passage a document, its id in `metadata.corpusId`. */
export async function ingestCollection(kb: KnowledgeBase, { name, documents }: Collection): Promise<void> {
  await kb.namespaces.create({ name, slug: name, embeddingConfig: { provider: "MANAGED_STATIC" } });
  for (let first = 0; first < documents.length; first += BATCH) {
    const items: BatchItem[] = documents.slice(first, first + BATCH).flatMap(({ id, title, text }) => {
      const whole = `${title}\n${text}`.trim();
      return whole === "" ? [] : [{ type: "TEXT", text: whole, config: { metadata: { corpusId: id } } }];
    });
    const job = await (await kb.ingest(name, { type: "BATCH", items }, { chunkSize: 65536 })).done();
    if (job.status !== "COMPLETED") throw new Error(`The job is ${job.status}: ${job.error}`);
  }
}
