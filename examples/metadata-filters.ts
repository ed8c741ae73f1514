// Gives each document metadata and filters searches by it.
import { type Filter, KnowledgeBase } from "lorebase";

type Notice = { year: number; area: string; tags: string[] };

const kb = new KnowledgeBase({ directory: ":memory:" });
try {
  await kb.namespaces.create({ name: "Notices", slug: "notices", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  // The type applies to metadata and filters: a misspelt key does not compile.
  const notices = kb.namespace<Notice>("notices");

  const notice = (text: string, metadata: Notice) => ({ type: "TEXT", text, config: { metadata } }) as const;
  const items = [
    notice("The cove path is closed while puffins nest.", { year: 2024, area: "cove", tags: ["birds", "path"] }),
    notice("The cove path is open again after the repair.", { year: 2025, area: "cove", tags: ["path"] }),
    notice("The path to the landing is icy; use the rail.", { year: 2026, area: "landing", tags: ["path", "ice"] }),
  ];
  await notices.ingest({ type: "BATCH", items }).done();

  const filters: readonly Filter<Notice>[] = [
    { area: "cove" },
    { year: { $gte: 2025 } },
    { tags: { $all: ["path", "ice"] } },
    { $or: [{ year: { $lt: 2025 } }, { area: { $in: ["landing", "tower"] } }] },
    { tags: { $nin: ["birds"] }, $not: { area: "landing" } },
  ];
  for (const filter of filters) {
    console.log(JSON.stringify(filter));
    for (const hit of await notices.search("Is the path open?", { filter })) console.log(`  ${hit.text}`);
  }
} finally {
  await kb.close();
}
