// Asks the same question in each mode. Keyword search wants the words themselves, semantic search follows the vectors,
// and hybrid search fuses the two rankings.
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

  // Every word of keywordFilter must be in the passage, whatever the mode.
  const [hit] = await skerrin.search("who checks the equipment", {
    mode: "semantic",
    keywordFilter: '"landing derrick"',
  });
  console.log(hit?.text);
} finally {
  await kb.close();
}
