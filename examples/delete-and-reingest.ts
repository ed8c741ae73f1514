// Ingests a document again after a change of settings, then deletes it. A document is searchable all the while it is
// being ingested again: the new chunks take the place of the old ones in one step.
import { fileURLToPath } from "node:url";
import { KnowledgeBase, KnowledgeBaseError } from "lorebase";

const kb = new KnowledgeBase({ directory: ":memory:" });
try {
  await kb.namespaces.create({ name: "Rules", slug: "rules", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const rules = kb.namespace("rules");
  const file = fileURLToPath(new URL("./data/boat-and-weather.md", import.meta.url));
  const run = await rules.ingest({ file }, { externalId: "boat-and-weather", chunkSize: 400 });
  const job = await run.done();
  console.log(`${job.counts.chunks} chunks`);

  // The external id is taken while the first version lives: the same file is not ingested twice by accident.
  await rules.ingest({ file }, { externalId: "boat-and-weather" }).catch((error: unknown) => {
    if (KnowledgeBaseError.is(error, "conflict")) console.log(error.message);
    else throw error;
  });

  const again = await rules.ingestJobs.reingest(job.id).done();
  console.log(`${again.status}, ${again.counts.chunks} chunks under the same ids`);

  for await (const document of rules.documents.iterate()) await rules.documents.delete(document.id);
  console.log(`found ${(await rules.search("swell")).length} passages from the moment of the call`);
  await kb.drain();
  console.log(`${(await rules.documents.list()).items.length} documents left`);
} finally {
  await kb.close();
}
