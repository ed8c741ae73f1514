import type { KnowledgeBase } from "lorebase";
import { makeTexts, seeded } from "./texts.js";

const DOCUMENTS = 1000;
export const CHUNKS = 100_000;

/** Fills the namespace `bench`, and returns the texts of its chunks. */
export async function fillNamespace(
  kb: KnowledgeBase,
  provider: "MANAGED_LEXICAL" | "MANAGED_STATIC",
  log: (line: string) => void,
): Promise<readonly string[]> {
  await kb.namespaces.create({ name: "Bench", slug: "bench", embeddingConfig: { provider } });
  // Paragraphs of one chunk each.
  const paragraphs = makeTexts(CHUNKS, 200).map((text) => text.replaceAll("\n\n", " "));
  const size = CHUNKS / DOCUMENTS;
  for (let first = 0; first < DOCUMENTS; first += 100) {
    const items = Array.from({ length: 100 }, (_, index) => {
      const start = (first + index) * size;
      return { type: "TEXT" as const, text: paragraphs.slice(start, start + size).join("\u001e") };
    });
    const config = { delimiter: "\u001e", chunkSize: 4096 };
    const job = await (await kb.ingest("bench", { type: "BATCH", items }, config)).done();
    log(`${first + 100} documents, ${job.counts.chunks} chunks in the last 100`);
  }
  return paragraphs;
}

/** Three words of one chunk each. */
export function makeQueries(texts: readonly string[], count: number): readonly string[] {
  const random = seeded(7);
  return Array.from({ length: count }, () => {
    const words = texts[Math.floor(random() * texts.length)]!.split(/\W+/).filter((word) => word.length > 3);
    return Array.from({ length: 3 }, () => words[Math.floor(random() * words.length)]).join(" ");
  });
}
