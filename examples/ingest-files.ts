// Ingests a file, a glob and bytes from memory, and lists the documents.
import { fileURLToPath } from "node:url";
import { KnowledgeBase } from "lorebase";

const folder = fileURLToPath(new URL("./data", import.meta.url));
const kb = new KnowledgeBase({ directory: ":memory:" });
try {
  await kb.namespaces.create({ name: "Skerrin", slug: "skerrin", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const skerrin = kb.namespace("skerrin");

  const notice = { name: "notice.txt", body: new TextEncoder().encode("The cove path is closed.") };
  const jobs = await Promise.all([
    skerrin.ingest({ file: `${folder}/volunteer-handbook.pdf` }).done(),
    skerrin.ingest({ files: `${folder}/*.{md,html,docx}` }, { chunkSize: 1000 }).done(),
    skerrin.ingest({ file: notice }).done(),
  ]);
  for (const { status, counts } of jobs) {
    console.log(`${status}  ${counts.documents.completed} documents, ${counts.chunks} chunks`);
  }

  for await (const document of skerrin.documents.iterate({ order: "asc" })) {
    const { name, properties, totalPages, totalChunks, warnings } = document;
    console.log(`${name}  ${properties.mimeType}, ${totalPages} pages, ${totalChunks} chunks`);
    for (const warning of warnings) console.log(`  warning: ${warning}`);
  }
} finally {
  await kb.close();
}
