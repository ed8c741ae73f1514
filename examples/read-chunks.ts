// Reads a document's chunks in order, and the chunks before and after a hit.
import { fileURLToPath } from "node:url";
import { KnowledgeBase } from "lorebase";

const kb = new KnowledgeBase({ directory: ":memory:" });
try {
  await kb.namespaces.create({ name: "Skerrin", slug: "skerrin", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const skerrin = kb.namespace("skerrin");
  const file = fileURLToPath(new URL("./data/volunteer-handbook.pdf", import.meta.url));
  await skerrin.ingest({ file }, { chunkSize: 500 }).done();

  const [document] = (await skerrin.documents.list()).items;
  const texts = new Map<string, string>();
  for await (const chunk of skerrin.documents.chunks(document!.id)) {
    texts.set(chunk.id, chunk.text);
    console.log(
      `page ${chunk.metadata.page_number}  ${chunk.text.length} characters  ${chunk.metadata.headings ?? "(title)"}`,
    );
  }

  const [hit] = await skerrin.search("assembly point", { mode: "keyword", topK: 1, includeRelationships: true });
  const { previous, next } = hit!.relationships!;
  for (const id of [previous, hit!.id, next]) console.log(`\n[${id?.split("#")[1]}] ${id && texts.get(id)}`);
} finally {
  await kb.close();
}
