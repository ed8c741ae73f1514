// Asks the same question in each mode. Keyword search ranks by matching words, semantic search by similarity of
// vectors, and hybrid search combines both rankings.
import { fileURLToPath } from "node:url";
import { KnowledgeBase } from "lorebase";

const kb = new KnowledgeBase({ directory: ":memory:" });
try {
  await kb.namespaces.create({ name: "Skerrin", slug: "skerrin", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const skerrin = kb.namespace("skerrin");
  const files = fileURLToPath(new URL("./data/*", import.meta.url));
  await skerrin.ingest({ files }, { chunkSize: 700 }).done();

  for (const mode of ["keyword", "semantic", "hybrid"] as const) {
    console.log(mode);
    for (const hit of await skerrin.search("VHF channel of the coastguard", { mode, topK: 3 })) {
      console.log(`  ${hit.score.toFixed(3)}  ${hit.metadata?.filename}  ${hit.metadata?.headings}`);
    }
  }

  // In any mode, keywordFilter keeps only passages that contain all its words and phrases.
  const [hit] = await skerrin.search("who checks the equipment", {
    mode: "semantic",
    keywordFilter: '"landing derrick"',
  });
  console.log(hit?.text);
} finally {
  await kb.close();
}
