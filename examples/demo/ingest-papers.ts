import { fileURLToPath } from "node:url";
import type { KnowledgeBase, NamespaceHandle } from "lorebase";
import { IngestProgress } from "./show-progress.js";

/** Creates the namespace `skerrin`, and ingests the papers of the trust into it. */
export async function ingestPapers(kb: KnowledgeBase): Promise<NamespaceHandle> {
  await kb.namespaces.create({ name: "Skerrin Light Trust", slug: "skerrin" });
  const skerrin = kb.namespace("skerrin");
  const files = fileURLToPath(new URL("../data/*", import.meta.url));
  const run = await skerrin.ingest({ files }, { chunkSize: 900 });
  const progress = new IngestProgress();
  for await (const { counts } of run) progress.update(counts);
  progress.end();
  const job = await run.done();
  if (job.status !== "COMPLETED") throw new Error(`the documents were not ingested: ${job.error}`);
  return skerrin;
}
