// Ingests the documents of the demo and serves a page that searches them and answers questions about them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { KnowledgeBase } from "lorebase";
import { serve } from "lorebase/http";
import { ingestPapers } from "./demo/ingest-papers.js";
import { style } from "./demo/show-passage.js";

const { values } = parseArgs({ options: { port: { type: "string", default: "3000" } } });
const directory = await mkdtemp(join(tmpdir(), "lorebase-start-"));
// Only models are kept between runs.
const modelsDirectory = fileURLToPath(new URL("../node_modules/.cache/lorebase/models", import.meta.url));
const kb = new KnowledgeBase({ directory, modelsDirectory });
let stop = () => {};
const stopped = new Promise<void>((resolve) => (stop = resolve));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
try {
  const skerrin = await ingestPapers(kb);
  const { slug } = await skerrin.hosting.enable({
    title: "Skerrin Light Trust",
    slug: "skerrin",
    protected: false,
    welcomeMessage: "What would you like to know about the lighthouse?",
    exampleQuestions: [
      "How many volunteers must be on the island before the lamp room opens?",
      "At what wind do crossings stop?",
      "Is the family ticket refunded when the boat is cancelled for weather?",
    ],
    exampleSearchQueries: ["fog signal", "family ticket", "lamp room"],
  });
  const server = await serve(kb, { port: Number(values.port) });
  console.log(`\nThe page, until Ctrl+C: ${style("bold", `${server.url}/h/${slug}`)}`);
  await stopped;
  await server.close();
} finally {
  await kb.close();
  await rm(directory, { recursive: true, force: true });
}
