// Ingests a small folder of real documents into a temporary directory and answers three questions, and searches for them in each mode.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { KnowledgeBase } from "lorebase";
import { ingestPapers } from "./demo/ingest-papers.js";
import { paragraph, showAnswer, showHits, style } from "./demo/show-passage.js";

const QUESTIONS = [
  "How many volunteers must be on the island before the lamp room opens?",
  "Is the family ticket refunded when the boat is cancelled for weather?",
  "At what wind do crossings stop?",
];

const directory = await mkdtemp(join(tmpdir(), "lorebase-demo-"));
// Only models are kept between runs.
const modelsDirectory = fileURLToPath(new URL("../node_modules/.cache/lorebase/models", import.meta.url));
const kb = new KnowledgeBase({ directory, modelsDirectory });
const warnings: string[] = [];
kb.on("warning", ({ message }) => void warnings.push(message));
try {
  console.log(style("bold", "\nLorebase: the papers of a lighthouse trust, in examples/data\n"));
  const started = performance.now();
  const skerrin = await ingestPapers(kb);
  console.log(`  searchable after ${((performance.now() - started) / 1000).toFixed(1)} s\n`);

  for await (const { name, totalPages, totalChunks } of skerrin.documents.iterate({ order: "asc" })) {
    const pages = totalPages === 1 ? "1 page" : `${totalPages} pages`;
    console.log(`  ${style("cyan", String(name).padEnd(28))}${pages.padEnd(9)}${totalChunks} chunks`);
  }

  const { embeddingConfig } = await kb.namespaces.get("skerrin");
  const model = [embeddingConfig.provider, embeddingConfig.model].filter(Boolean).join(", ");
  console.log(`\n  Embedder: ${style("bold", model)}`);
  const reason = warnings.join(" ") || "It is the default, and the model's files are on this machine.";
  console.log(paragraph(`Why: ${reason}`, 2));

  for (const question of QUESTIONS) {
    console.log(`\n${style("bold", question)}`);
    console.log(showAnswer(await skerrin.ask(question)));
    for (const mode of ["semantic", "keyword", "hybrid"] as const) {
      console.log(showHits(mode, await skerrin.search(question, { mode, topK: 2 }), question));
    }
  }
  console.log(`\nTo search and ask on a page, type ${style("bold", "npm start")}\n`);
} finally {
  await kb.close();
  await rm(directory, { recursive: true, force: true });
}
