import { KnowledgeBaseError } from "../errors.js";
import type { LanguageModel } from "../interfaces/language-model.js";
import type { GoldenQuestion } from "../resources/golden-questions.js";
import type { CallOptions, Chunk } from "../types.js";
import { mapConcurrent } from "../util/map-concurrent.js";
import { askForQuestion } from "./ask-for-question.js";
import type { EvaluatedNamespace } from "./evaluated-namespace.js";
import { type Passage, type PassageQuestion, questionsOfPassage } from "./passage-questions.js";

/** A language model may fail or be slow for one passage: a few are asked for at a time. */
const CONCURRENT_CALLS = 4;
/** The passages that are read of a document. */
const MAX_PASSAGES = 500;
/** Shorter passages are titles and remnants, of which a language model makes poor questions. */
const MIN_PASSAGE_LENGTH = 150;
/** How many times as many questions are collected as are wanted, before those that several documents answer are left out. */
const SURPLUS = 2;

/** The part of a namespace that questions are generated from. */
export interface QuestionSource {
  readonly tenantId: string | null;
  readonly documents: Pick<EvaluatedNamespace["documents"], "iterate"> & {
    chunks(id: string, options: CallOptions): AsyncIterable<Pick<Chunk<object>, "text" | "metadata">>;
  };
}

export interface GenerationOptions extends CallOptions {
  /** The maximum number of questions. */
  readonly limit: number;
  /** The maximum number of questions of one document. */
  readonly perDocument: number;
  /** Ids of documents to leave out. */
  readonly covered: ReadonlySet<string>;
  /** The language model to ask; `null` to apply rules. */
  readonly generate: LanguageModel["generate"] | null;
}

/** Questions that were made, and the number of replies of a language model that were of no use. */
export interface GeneratedQuestions {
  readonly questions: readonly GoldenQuestion[];
  readonly rejected: number;
}

/**
 * Makes questions of the passages of documents, in the order in which those were added. Yields them in parts, so that
 * what a language model wrote can be kept before it fails.
 */
export async function* generateQuestions(
  source: QuestionSource,
  options: GenerationOptions,
): AsyncGenerator<GeneratedQuestions> {
  const { generate } = options;
  if (generate) yield* askForQuestions(source, generate, options);
  else yield { questions: await applyRules(source, options), rejected: 0 };
}

async function* askForQuestions(
  source: QuestionSource,
  generate: LanguageModel["generate"],
  { limit, perDocument, covered, signal }: GenerationOptions,
): AsyncGenerator<GeneratedQuestions> {
  let left = limit;
  for await (const { id, passages } of readPassages(source, (id) => !covered.has(id), signal)) {
    const long = passages.filter(({ text }) => text.length >= MIN_PASSAGE_LENGTH);
    const chosen = spread(long, Math.min(perDocument, left));
    const replies = await mapConcurrent(chosen, CONCURRENT_CALLS, (passage) =>
      askForQuestion(generate, passage, { signal }),
    );
    const made = replies.filter((reply) => reply !== null);
    yield { questions: made.map((question) => toGolden(id, question)), rejected: replies.length - made.length };
    left -= made.length;
    if (left === 0) return;
  }
}

async function applyRules(
  source: QuestionSource,
  { limit, perDocument, covered, signal }: GenerationOptions,
): Promise<readonly GoldenQuestion[]> {
  const found: { readonly id: string; readonly questions: readonly PassageQuestion[] }[] = [];
  const documentsOf = new Map<string, number>();
  let count = 0;
  // Those that are covered are read too: they may answer the same.
  for await (const { id, passages } of readPassages(source, () => true, signal)) {
    const byKey = new Map<string, PassageQuestion>();
    for (const question of passages.flatMap(questionsOfPassage)) {
      const key = question.question.toLowerCase();
      // The first passage below a heading, and the first definition of a thing, answer best.
      if (!byKey.has(key)) byKey.set(key, question);
    }
    for (const key of byKey.keys()) documentsOf.set(key, (documentsOf.get(key) ?? 0) + 1);
    if (covered.has(id)) continue;
    found.push({ id, questions: [...byKey.values()] });
    count += Math.min(perDocument, byKey.size);
    if (count >= SURPLUS * limit) break;
  }
  return found
    .flatMap(({ id, questions }) => {
      const unambiguous = questions.filter(({ question }) => documentsOf.get(question.toLowerCase()) === 1);
      return spread(unambiguous, perDocument).map((question) => toGolden(id, question));
    })
    .slice(0, limit);
}

function toGolden(document: string, { question, contains }: PassageQuestion): GoldenQuestion {
  return { question, answers: [{ document, contains }] };
}

/** Reads the passages of each wanted document of the handle's own tenant. */
async function* readPassages(
  { tenantId, documents }: QuestionSource,
  isWanted: (documentId: string) => boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly id: string; readonly passages: readonly Passage[] }> {
  for await (const document of documents.iterate({ order: "asc", perPage: 100, statuses: ["COMPLETED"], signal })) {
    if (document.tenantId !== tenantId || !isWanted(document.id)) continue;
    const passages: Passage[] = [];
    try {
      for await (const { text, metadata } of documents.chunks(document.id, { signal })) {
        const { headings = [] } = metadata as { readonly headings?: readonly string[] };
        passages.push({ text, headings });
        if (passages.length === MAX_PASSAGES) break;
      }
    } catch (error) {
      if (!isGone(error)) throw error;
      continue;
    }
    yield { id: document.id, passages };
  }
}

/** Whether a document was deleted or replaced while it was read, so that another call has to make its questions. */
function isGone(error: unknown): boolean {
  return (["not_found", "not_ready", "conflict"] as const).some((code) => KnowledgeBaseError.is(error, code));
}

/** Returns `count` of the items, evenly spread, or all if there are fewer. */
function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  if (items.length <= count) return items;
  return Array.from({ length: count }, (_, index) => items[Math.floor((index * items.length) / count)]!);
}
