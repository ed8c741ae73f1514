// Uses a custom embedding model. This one counts letters: enough to show the interface, not to search well.
import { type Embedder, KnowledgeBase, type Provider } from "lorebase";
import { z } from "zod";

const config = z.object({ provider: z.literal("LETTERS"), model: z.string().default("letters-26") });

function createLetters(model: string): Embedder {
  return {
    provider: "LETTERS",
    model,
    dimensions: 26,
    maxInputTokens: null,
    embed: async (texts) => texts.map(letters),
    countTokens: async (texts) => texts.map((text) => text.split(/\s+/).length),
  };
}

function letters(text: string): Float32Array {
  const vector = new Float32Array(26);
  for (const [letter] of text.toLowerCase().matchAll(/[a-z]/g)) vector[letter.charCodeAt(0) - 97]! += 1;
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

const provider: Provider<z.infer<typeof config>, Embedder> = {
  provider: "LETTERS",
  config,
  create: async ({ model }) => createLetters(model),
};

const kb = new KnowledgeBase({ directory: ":memory:", embedders: [provider] });
try {
  const { embeddingConfig } = await kb.namespaces.create({
    name: "Words",
    slug: "words",
    embeddingConfig: { provider: "LETTERS" },
  });
  console.log(embeddingConfig);
  const words = kb.namespace("words");
  const items = ["listen", "lantern", "gallery"].map((text) => ({ type: "TEXT", text }) as const);
  await words.ingest({ type: "BATCH", items }).done();
  for (const hit of await words.search("silent", { mode: "semantic" })) console.log(hit.score.toFixed(3), hit.text);
} finally {
  await kb.close();
}
