// Separates customers inside one namespace: a tenant finds only its own documents, and only they affect its ranking.
import { KnowledgeBase } from "lorebase";

const kb = new KnowledgeBase({ directory: ":memory:" });
try {
  await kb.namespaces.create({ name: "Logs", slug: "logs", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const logs = kb.namespace("logs");
  const skerrin = logs.tenant("skerrin");
  const marrow = logs.tenant("marrow");

  await skerrin.ingest({ type: "TEXT", text: "Fog from four until nine. The horn sounded." }).done();
  await marrow.ingest({ type: "TEXT", text: "Fog at noon. The horn failed and was repaired." }).done();
  await logs.ingest({ type: "TEXT", text: "All stations: log every hour of fog." }).done();

  for (const [name, scope] of [
    ["skerrin", skerrin],
    ["marrow", marrow],
    ["no tenant", logs],
  ] as const) {
    console.log(name);
    for (const hit of await scope.search("fog")) console.log(`  ${hit.text}`);
  }
} finally {
  await kb.close();
}
