import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { KnowledgeBase } from "lorebase";
import { readSentences } from "#dist/answer/sentence-features.js";
import { LEXICAL_DIMENSIONS } from "#dist/embedders/lexical/vector.js";
import { staticEmbedder } from "#dist/embedders/static/provider.js";
import { type Example, learnWeights, scoresOf } from "./stages/learn-weights.js";

// `npm run train:answers -- SET[=WEIGHT] ...`: the weights of src/answer/sentence-scorer.ts, and what thresholds do to
// questions that the weights weren't learned from. training/README.md describes a set.

interface Question {
  readonly question: string;
  /** Parts of the sentences that answer; none if no sentence does. */
  readonly answers: readonly string[];
  /** The file with the answer. The question is then asked again without the passages of this file. */
  readonly file?: string;
}

const TOP_K = 10;
/** Longer sets are held out in parts, so that enough is left to learn from. */
const MAX_PART = 260;
const THRESHOLDS = [-2, -1.5, -1.25, -1, -0.75, -0.5, -0.25, 0, 0.5, 1];

const embedder = await staticEmbedder();
const embed = (texts: readonly string[]) => embedder.embed(texts, { purpose: "query" });
const vectors = {
  embed,
  embedWords: async (words: readonly string[]) =>
    (await embed(words)).map((vector) => vector.subarray(0, vector.length - LEXICAL_DIMENSIONS)),
  close: async () => {},
};

/** The sentences that `ask` chooses from, for each question of a set. */
async function readSet(directory: string, weight: number): Promise<readonly Example[]> {
  await using kb = new KnowledgeBase({ directory: ":memory:" });
  await kb.namespaces.create({ name: "Set", slug: "set", embeddingConfig: { provider: "MANAGED_STATIC" } });
  const set = kb.namespace("set");
  const files = readdirSync(join(directory, "documents")).map((name) => join(directory, "documents", name));
  await set.ingest({ files }).done({ throwOnFailure: true });
  const examples: Example[] = [];
  const lines = (await readFile(join(directory, "questions.jsonl"), "utf8")).trim().split("\n");
  for (const { question, answers, file } of lines.map((line): Question => JSON.parse(line))) {
    const { passages } = await set.ask(question, { topK: file ? TOP_K + 1 : TOP_K });
    const sources = await Promise.all(
      passages.map(async ({ range, metadata }) => {
        const { documentId, filename = "", headings = [] } = metadata!;
        const { text } = await set.documents.text(documentId);
        return { text: text.slice(range!.start, range!.end), context: [...headings, filename].join(" "), filename };
      }),
    );
    const variants = [{ found: sources, parts: answers }];
    if (file) variants.push({ found: sources.filter(({ filename }) => filename !== file), parts: [] });
    for (const { found, parts } of variants) {
      const { candidates, featuresOf } = await readSentences(found.slice(0, TOP_K), vectors, {});
      const isAnswer = candidates.map(({ sentence: { text } }) => parts.some((part) => text.includes(part)));
      examples.push({ features: await featuresOf(question), isAnswer, isAnswerable: parts.length > 0, weight });
    }
  }
  return examples;
}

/** "right/answerable declined/unanswerable" of questions with given scores. */
function figures(examples: readonly Example[], scores: readonly (readonly number[])[], threshold: number): string {
  let [right, answerable, declined] = [0, 0, 0];
  for (const [index, { isAnswer, isAnswerable }] of examples.entries()) {
    const best = Math.max(...scores[index]!);
    if (isAnswerable) answerable++;
    if (isAnswerable && best >= threshold && isAnswer[scores[index]!.indexOf(best)]) right++;
    if (!isAnswerable && best < threshold) declined++;
  }
  return `${right}/${answerable} ${declined}/${examples.length - answerable}`;
}

const sets = new Map<string, readonly Example[]>();
for (const argument of parseArgs({ allowPositionals: true }).positionals) {
  const [directory, weight = "1"] = argument.split("=");
  sets.set(basename(directory!), await readSet(directory!, Number(weight)));
}
await embedder.close?.();

const all = [...sets.values()].flat();
const { weights, bias } = learnWeights(all);
for (const [name, weight] of Object.entries(weights)) console.log(`${name}: ${weight.toFixed(2)},`);
console.log(`BIAS: ${bias.toFixed(2)}\n\nHeld out (right/answerable declined/unanswerable)`);

const heldOut = [...sets].map(([name, examples]) => {
  const scores: (readonly number[])[] = [];
  for (let start = 0; start < examples.length; start += MAX_PART) {
    const part = examples.slice(start, start + MAX_PART);
    const model = learnWeights(all.filter((example) => !part.includes(example)));
    scores.push(...part.map(({ features }) => scoresOf(features, model)));
  }
  return { name, examples, scores };
});
for (const threshold of THRESHOLDS) {
  const columns = heldOut.map(({ name, examples, scores }) => `${name} ${figures(examples, scores, threshold)}`);
  console.log(`${threshold}: ${columns.join(", ")}`);
}
