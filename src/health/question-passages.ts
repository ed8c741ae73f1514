import type { Engine } from "../engine/engine.js";
import { runStages } from "../search/search.js";
import { parseSearchRequest } from "../search/search-request.js";
import { openSources, type SearchTarget } from "../search/sources.js";
import type { PassageText } from "../storage/records/passage-signatures.js";
import type { UnquestionedPart } from "../storage/records/unfindable-passages.js";
import { collapseWhitespace } from "../util/collapse-whitespace.js";
import type { Budget } from "./budget.js";

/** A passage must be among as many hits: those that a search returns by default. */
const TOP_K = 10;
const MAX_SENTENCE_CHARACTERS = 200;
const PARTS_AT_ONCE = 50;
const HAS_WORD = /[\p{L}\p{N}]/u;

let segmenter: Intl.Segmenter | undefined;

/**
 * Searches for the passages of a scope that were not searched for yet, each by the question that its heading and first
 * sentence make, and records those that aren't found. Searches by keywords, which costs nothing whatever model the
 * namespace has. Returns false if the time was over before.
 */
export async function questionPassages(
  engine: Engine,
  scopeId: number,
  target: SearchTarget,
  budget: Budget,
): Promise<boolean> {
  const { health } = engine.storage;
  for (let after = { documentSeq: 0, first: 0 }; ; ) {
    const parts = await health.listUnquestioned({ scopeId, after, limit: PARTS_AT_ONCE });
    for (const part of parts) if (!(await questionPart(engine, scopeId, target, part, budget))) return false;
    if (parts.length < PARTS_AT_ONCE) return true;
    after = parts.at(-1)!;
  }
}

async function questionPart(
  engine: Engine,
  scopeId: number,
  target: SearchTarget,
  part: UnquestionedPart,
  budget: Budget,
): Promise<boolean> {
  const { health } = engine.storage;
  const { documentSeq, generation, documentId } = part;
  const range = { documentSeq, generation, first: part.first + part.questioned, last: part.first + part.passages - 1 };
  const passages = (await health.readTexts({ ranges: [range] })).toSorted((a, b) => a.ordinal - b.ordinal);
  const unfindable: { ordinal: number; question: string }[] = [];
  let next = range.first;
  for (const passage of passages) {
    if (budget.isSpent) break;
    const question = questionOf(passage);
    if (!(await isFound(engine, target, question, { ...passage, documentId })))
      unfindable.push({ ordinal: passage.ordinal, question });
    next = passage.ordinal + 1;
  }
  const isDone = next === part.first + part.passages || passages.length === 0;
  const questioned = isDone ? part.passages : next - part.first;
  await health.recordQuestioned({ scopeId, part, questioned, unfindable });
  return isDone || !budget.isSpent;
}

/** Returns the question that a reader who looks for the passage may ask: its last heading and its first sentence. */
function questionOf({ text, headings }: PassageText): string {
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const heading = (JSON.parse(headings) as readonly string[]).at(-1) ?? "";
  const sentences = Array.from(segmenter.segment(text), ({ segment }) => segment);
  const sentence = sentences.find((candidate) => HAS_WORD.test(candidate)) ?? "";
  return collapseWhitespace(`${heading} ${sentence.slice(0, MAX_SENTENCE_CHARACTERS)}`).trim();
}

/**
 * Returns whether a search finds a passage, or another with the same text. Runs the stages of a search without its
 * events, since no caller searches.
 */
async function isFound(
  engine: Engine,
  target: SearchTarget,
  query: string,
  passage: PassageText & { readonly documentId: string },
): Promise<boolean> {
  if (!HAS_WORD.test(query)) return false;
  const request = parseSearchRequest(engine, { query, mode: "keyword", topK: TOP_K, rerank: false });
  const { ordered } = await runStages(engine, target, request, await openSources(engine, target, request, {}), {});
  return ordered.some(
    ({ passage: found }) =>
      found.text === passage.text || (found.documentId === passage.documentId && found.ordinal === passage.ordinal),
  );
}
