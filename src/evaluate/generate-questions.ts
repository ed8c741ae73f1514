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
/** The number of calls for each wanted question: of some passages, a language model makes none. */
const CALLS_PER_QUESTION = 2;

/** The part of a namespace that questions are generated from. */
export interface QuestionSource {
  readonly tenantId: string | null;
  readonly documents: Pick<EvaluatedNamespace["documents"], "iterate"> & {
    chunks(id: string, options: CallOptions): AsyncIterable<Pick<Chunk<object>, "text" | "metadata">>;
  };
}

export interface GenerationOptions extends CallOptions {
  /** The maximum number of questions that aren't known. */
  readonly limit: number;
  /** The maximum number of questions of one document. */
  readonly perDocument: number;
  /** The id of a document: it and those that were added before it are left out. */
  readonly after?: string | undefined;
  /** Ids of documents to leave out. */
  readonly covered: ReadonlySet<string>;
  /** Questions that exist already. They don't count. */
  readonly known: ReadonlySet<string>;
  /** The language model to ask; `null` to apply rules. */
  readonly generate: LanguageModel["generate"] | null;
}

/** Questions that were made, and the number of replies of a language model that were of no use. */
export interface GeneratedQuestions {
  readonly questions: readonly GoldenQuestion[];
  readonly rejected: number;
  /** The document at which a limit was reached; `null` if none was yet. */
  readonly lastDocument: string | null;
}

/**
 * Makes questions of the passages of documents, in the order in which those were added. Yields them in parts, so that
 * what a language model wrote can be kept before it fails.
 * @throws KnowledgeBaseError `invalid_input` if there is no document `after`
 */
export async function* generateQuestions(
  source: QuestionSource,
  options: GenerationOptions,
): AsyncGenerator<GeneratedQuestions> {
  const { generate } = options;
  if (generate) yield* askForQuestions(source, generate, options);
  else yield applyRules(source, options);
}

async function* askForQuestions(
  source: QuestionSource,
  generate: LanguageModel["generate"],
  options: GenerationOptions,
): AsyncGenerator<GeneratedQuestions> {
  const { limit, perDocument, signal } = options;
  const known = new Set(options.known);
  let left = limit;
  let calls = CALLS_PER_QUESTION * limit;
  for await (const { id, passages } of readPassages(source, options, false)) {
    const long = passages.filter(({ text }) => text.length >= MIN_PASSAGE_LENGTH);
    const chosen = spread(long, Math.min(perDocument, left, calls));
    const replies = await mapConcurrent(chosen, CONCURRENT_CALLS, (passage) =>
      askForQuestion(generate, passage, { signal }),
    );
    calls -= chosen.length;
    const made = replies.filter((reply) => reply !== null);
    for (const { question } of made) {
      if (!known.has(question)) left--;
      known.add(question);
    }
    const isDone = left === 0 || calls === 0;
    yield {
      questions: made.map((question) => toGolden(id, question)),
      rejected: replies.length - made.length,
      lastDocument: isDone ? id : null,
    };
    if (isDone) return;
  }
}

async function applyRules(source: QuestionSource, options: GenerationOptions): Promise<GeneratedQuestions> {
  const { limit, perDocument, known } = options;
  interface Found {
    readonly id: string;
    readonly isCovered: boolean;
    /** Those that no other document answers, as far as documents have been read. */
    readonly questions: Map<string, PassageQuestion>;
  }
  const found: Found[] = [];
  const firstOf = new Map<string, Found>();
  const newOnes = ({ questions }: Found) => [...questions.values()].filter(({ question }) => !known.has(question));
  const countOf = (each: Found) => (each.isCovered ? 0 : Math.min(perDocument, newOnes(each).length));
  let count = 0;
  // Those that are covered are read too: they may answer the same.
  for await (const { id, isCovered, passages } of readPassages(source, options, true)) {
    const document: Found = { id, isCovered, questions: new Map() };
    for (const question of passages.flatMap(questionsOfPassage)) {
      const key = question.question.toLowerCase();
      const first = firstOf.get(key);
      // The first passage below a heading, and the first definition of a thing, answer best.
      if (first === document) continue;
      if (!first) {
        firstOf.set(key, document);
        document.questions.set(key, question);
      } else if (first.questions.has(key)) {
        count -= countOf(first);
        first.questions.delete(key);
        count += countOf(first);
      }
    }
    found.push(document);
    count += countOf(document);
    if (count >= SURPLUS * limit) break;
  }
  const questions: GoldenQuestion[] = [];
  let left = limit;
  for (const document of found.filter(({ isCovered }) => !isCovered)) {
    const chosen = spread(newOnes(document), Math.min(perDocument, left));
    const existing = [...document.questions.values()].filter(({ question }) => known.has(question));
    questions.push(...[...existing, ...chosen].map((question) => toGolden(document.id, question)));
    left -= chosen.length;
    if (left === 0) return { questions, rejected: 0, lastDocument: document.id };
  }
  return { questions, rejected: 0, lastDocument: null };
}

function toGolden(document: string, { question, contains }: PassageQuestion): GoldenQuestion {
  return { question, answers: [{ document, contains }] };
}

/** Reads the passages of each document of the handle's own tenant, those to leave out only if `readsCovered`. */
async function* readPassages(
  { tenantId, documents }: QuestionSource,
  { after, covered, signal }: Pick<GenerationOptions, "after" | "covered" | "signal">,
  readsCovered: boolean,
): AsyncGenerator<{ readonly id: string; readonly isCovered: boolean; readonly passages: readonly Passage[] }> {
  let isAfter = after === undefined;
  for await (const { id, ...document } of documents.iterate({
    ...{ order: "asc", perPage: 100, statuses: ["COMPLETED"], signal },
  })) {
    if (document.tenantId !== tenantId) continue;
    const isCovered = !isAfter || covered.has(id);
    if (id === after) isAfter = true;
    if (isCovered && !readsCovered) continue;
    const passages: Passage[] = [];
    try {
      for await (const { text, metadata } of documents.chunks(id, { signal })) {
        const { headings = [] } = metadata as { readonly headings?: readonly string[] };
        passages.push({ text, headings });
        if (passages.length === MAX_PASSAGES) break;
      }
    } catch (error) {
      if (!isGone(error)) throw error;
      continue;
    }
    yield { id, isCovered, passages };
  }
  if (isAfter) return;
  const message = "is not the id of a completed document";
  throw new KnowledgeBaseError("invalid_input", `after ${message}`, { issues: [{ field: "after", message }] });
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
