// Ingests a document again, then deletes it. Meanwhile the document stays searchable: its new chunks replace the old
// ones in one step.
import { fileURLToPath } from "node:url";
import { KnowledgeBase, KnowledgeBaseError } from "lorebase";

const kb = new KnowledgeBase({ directory: ":memory:" });
try {
  await kb.namespaces.create({ name: "Rules", slug: "rules", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const rules = kb.namespace("rules");
  const file = fileURLToPath(new URL("./data/boat-and-weather.md", import.meta.url));
  const job = await rules.ingest({ file }, { externalId: "boat-and-weather", chunkSize: 400 }).done();
  console.log(`${job.counts.chunks} chunks`);

  // An external id is unique, so the same file is not ingested twice by accident.
  await rules.ingest({ file }, { externalId: "boat-and-weather" }).catch((error: unknown) => {
    if (KnowledgeBaseError.is(error, "conflict")) console.log(error.message);
    else throw error;
  });

  const again = await rules.ingestJobs.reingest(job.id).done();
  console.log(`${again.status}, ${again.counts.chunks} chunks under the same ids`);

  for await (const document of rules.documents.iterate()) await rules.documents.delete(document.id);
  // Deleted documents are no longer found, even before the worker has removed their chunks.
  console.log(`found ${(await rules.search("swell")).length} passages`);
  await kb.drain();
  console.log(`${(await rules.documents.list()).items.length} documents left`);
} finally {
  await kb.close();
}
