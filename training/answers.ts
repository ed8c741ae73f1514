import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { KnowledgeBase } from "lorebase";
import { WHOLE_TEXT_WEIGHT } from "#dist/answer/extract-sentences.js";
import { readSentences } from "#dist/answer/sentence-features.js";
import { splitQuestion } from "#dist/answer/split-question.js";
import { LEXICAL_DIMENSIONS } from "#dist/embedders/lexical/vector.js";
import { staticEmbedder } from "#dist/embedders/static/provider.js";
import type { SentenceFeatures } from "../src/answer/sentence-features.js";
import { TUNING_QUESTIONS } from "../test/campaigns/answer-questions.js";
import { type Example, learnWeights, scoresOf } from "./stages/learn-weights.js";

// `npm run train:answers [-- SET[=WEIGHT] ...]`: the weights of src/answer/sentence-scorer.ts, and what thresholds do to
// questions that the weights weren't learned from. training/README.md describes a set.

const SETS = fileURLToPath(new URL("answer-sets", import.meta.url));
const EXAMPLES = fileURLToPath(new URL("../examples/data", import.meta.url));

interface Question {
  readonly question: string;
  /** Parts of the sentences that answer; none if no sentence does. */
  readonly answers: readonly string[];
  /** The file with the answer. The question is then asked again without the passages of this file. */
  readonly file?: string;
}

/** Questions about the documents of one folder, which are all held out together. */
interface QuestionSet {
  /** The name of the printed figures, which may be of several sets. */
  readonly column: string;
  readonly directory: string;
  readonly examples: readonly Example[];
}

const TOP_K = 10;
/** Longer sets are held out in parts, so that enough is left to learn from. */
const MAX_PART = 260;
const THRESHOLDS = [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5];

const embedder = await staticEmbedder();
const embed = (texts: readonly string[]) => embedder.embed(texts, { purpose: "query" });
const vectors = {
  embed,
  embedWords: async (words: readonly string[]) =>
    (await embed(words)).map((vector) => vector.subarray(0, vector.length - LEXICAL_DIMENSIONS)),
  close: async () => {},
};

/** The questions in a file of a set's folder, and the sentences that `ask` chooses from for each. */
async function readSet(directory: string, file: string, weight: number): Promise<readonly Example[]> {
  const lines = (await readFile(join(directory, file), "utf8")).trim().split("\n");
  const questions = lines.map((line): Question => JSON.parse(line));
  return readExamples(join(directory, "documents"), questions, weight);
}

async function readExamples(
  directory: string,
  questions: readonly Question[],
  weight: number,
): Promise<readonly Example[]> {
  await using kb = new KnowledgeBase({ directory: ":memory:" });
  await kb.namespaces.create({ name: "Set", slug: "set", embeddingConfig: { provider: "MANAGED_STATIC" } });
  const set = kb.namespace("set");
  const files = readdirSync(directory).map((name) => join(directory, name));
  await set.ingest({ files }).done({ throwOnFailure: true });
  const examples: Example[] = [];
  for (const { question, answers, file } of questions) {
    const { passages } = await set.ask(question, { topK: file ? TOP_K + 1 : TOP_K });
    const sources = await Promise.all(
      passages.map(async ({ range, metadata }) => {
        const { documentId, filename = "", headings = [] } = metadata!;
        const { text } = await set.documents.text(documentId);
        return { text: text.slice(range!.start, range!.end), context: [...headings, filename].join(" "), filename };
      }),
    );
    const variants = [{ found: sources, parts: answers, isAnswerHidden: false }];
    if (file) {
      const others = sources.filter(({ filename }) => filename !== file);
      variants.push({ found: others, parts: [], isAnswerHidden: true });
    }
    for (const { found, parts, isAnswerHidden } of variants) {
      const { candidates, featuresOf } = await readSentences(found.slice(0, TOP_K), vectors, {});
      const isAnswer = candidates.map(({ sentence: { text } }) => parts.some((part) => text.includes(part)));
      const whole = await featuresOf(question);
      const questions = splitQuestion(question);
      const features =
        questions.length === 1
          ? [whole]
          : await Promise.all(questions.map(async (part) => mix(await featuresOf(part), whole, WHOLE_TEXT_WEIGHT)));
      examples.push({ parts: features, isAnswer, isAnswerable: parts.length > 0, isAnswerHidden, weight });
    }
  }
  return examples;
}

/** Mixes features as `ask` mixes the scores that are linear in them. */
function mix(
  features: readonly SentenceFeatures[],
  others: readonly SentenceFeatures[],
  weightOfOthers: number,
): readonly SentenceFeatures[] {
  return features.map((values, index) => {
    const mixed = Object.entries(values).map(([name, value]) => {
      const other = others[index]![name as keyof SentenceFeatures];
      return [name, value + weightOfOthers * (other - value)] as const;
    });
    return Object.fromEntries(mixed) as unknown as SentenceFeatures;
  });
}

/** "right/answerable declined/unanswerable declined/hidden" of questions with given scores. */
function figures(
  examples: readonly Example[],
  scores: readonly (readonly (readonly number[])[])[],
  threshold: number,
): string {
  let [right, answerable, declined, declinedHidden, hidden] = [0, 0, 0, 0, 0];
  for (const [index, { isAnswer, isAnswerable, isAnswerHidden }] of examples.entries()) {
    // The first citation is of the first question in the text that is answered.
    const cited = scores[index]!.find((part) => Math.max(...part) >= threshold);
    if (isAnswerable) answerable++;
    if (isAnswerable && cited && isAnswer[cited.indexOf(Math.max(...cited))]) right++;
    if (isAnswerHidden) hidden++;
    if (isAnswerHidden && !cited) declinedHidden++;
    if (!isAnswerable && !isAnswerHidden && !cited) declined++;
  }
  const unanswerable = examples.length - answerable - hidden;
  return `${right}/${answerable} ${declined}/${unanswerable} ${declinedHidden}/${hidden}`;
}

const demo = await readExamples(EXAMPLES, TUNING_QUESTIONS, 1);
const sets: QuestionSet[] = [{ column: "demo", directory: EXAMPLES, examples: demo }];
for (const name of readdirSync(SETS)) {
  const directory = join(SETS, name);
  sets.push({ column: name, directory, examples: await readSet(directory, "questions.jsonl", 1) });
  sets.push({ column: "literal", directory, examples: await readSet(directory, "literal-questions.jsonl", 1) });
}
for (const argument of parseArgs({ allowPositionals: true }).positionals) {
  const [directory, weight = "1"] = argument.split("=") as [string, string?];
  const examples = await readSet(directory, "questions.jsonl", Number(weight));
  sets.push({ column: basename(directory), directory, examples });
}
await embedder.close?.();

const all = sets.flatMap(({ examples }) => examples);
const { weights, bias } = learnWeights(all);
for (const [name, weight] of Object.entries(weights)) console.log(`${name}: ${weight.toFixed(2)},`);
console.log(`BIAS: ${bias.toFixed(2)}\n\nHeld out (right/answerable declined/unanswerable declined/answer hidden)`);

const heldOut = sets.map(({ column, directory, examples }) => {
  const others = sets.filter((other) => other.directory !== directory).flatMap(({ examples }) => examples);
  const scores: (readonly (readonly number[])[])[] = [];
  for (let start = 0; start < examples.length; start += MAX_PART) {
    const part = examples.slice(start, start + MAX_PART);
    const model = learnWeights([...others, ...examples.filter((example) => !part.includes(example))]);
    scores.push(...part.map(({ parts }) => parts.map((features) => scoresOf(features, model))));
  }
  return { column, examples, scores };
});
const figuresOf = (results: typeof heldOut, threshold: number) =>
  figures(
    results.flatMap(({ examples }) => examples),
    results.flatMap(({ scores }) => scores),
    threshold,
  );
for (const threshold of THRESHOLDS) {
  const columns = [...new Set(heldOut.map(({ column }) => column))].map(
    (name) =>
      `${name} ${figuresOf(
        heldOut.filter(({ column }) => column === name),
        threshold,
      )}`,
  );
  console.log(`${threshold}: all ${figuresOf(heldOut, threshold)}, ${columns.join(", ")}`);
}
