import { publicChunkId } from "../domain/ids.js";
import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { locateHighlights } from "../search/locate-highlights.js";
import { type SearchOptions, searchPassages } from "../search/search.js";
import type { SearchTarget } from "../search/sources.js";
import { parsePositions } from "../storage/chunk-positions.js";
import type { StoredPassage } from "../storage/search-index.js";
import type { Metadata } from "../types.js";
import type { Answer, AnswerEvent, Citation } from "./answer.js";
import { type ExtractedSentence, extractSentences } from "./extract-sentences.js";
import { passageTexts } from "./passage-texts.js";
import { sha256Of } from "./verify-citations.js";

/** Options of a question: those of the search for its passages. */
export type AskOptions<M = Metadata> = Pick<
  SearchOptions<M>,
  | "mode"
  | "topK"
  | "filter"
  | "keywordFilter"
  | "minScore"
  | "rerank"
  | "rerankLimit"
  | "rerankModel"
  | "rerankTimeoutMs"
  | "fusion"
  | "semanticWeight"
  | "signal"
>;

/** Attempts to read the texts of passages while their documents are being published. */
const MAX_ATTEMPTS = 5;
const NO_ANSWER = "No answer was found in the documents.";
const SEPARATOR = "\n\n";

/**
 * Answers a question with the sentences of the documents that answer it, quoted word for word and cited. The same
 * question about the same documents has the same answer.
 *
 * @throws KnowledgeBaseError as a search does, `conflict` (retryable) if documents kept changing
 */
export async function* ask<M>(
  engine: Engine,
  target: SearchTarget,
  question: string,
  options: AskOptions<M>,
): AsyncGenerator<AnswerEvent<M>, Answer<M>> {
  const { signal } = options;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { hits, passages } = await searchPassages<M>(engine, target, question, options);
    const texts = await passageTexts(engine, target.scope, passages, { signal });
    if (texts === null) continue;
    yield { type: "passages", passages: hits };
    const sources = texts.map((text, index) => ({ text, context: contextOf(passages[index]!) }));
    const sentences = await extractSentences(question, sources, engine.textVectors, { signal });
    const { text, citations } = yield* quote(sentences, passages);
    return { text, isAnswered: sentences.length > 0, citations, passages: hits };
  }
  const message = "The documents kept changing while the question was being answered. Ask again.";
  throw new KnowledgeBaseError("conflict", message, { retryable: true });
}

/** The headings above a passage and the name of its file. */
function contextOf({ headings, metadata }: StoredPassage): string {
  const { filename } = JSON.parse(metadata) as Metadata;
  return [...headings, ...(typeof filename === "string" ? [filename] : [])].join(" ");
}

function* quote(
  sentences: readonly ExtractedSentence[],
  passages: readonly StoredPassage[],
): Generator<AnswerEvent<never>, { readonly text: string; readonly citations: readonly Citation[] }> {
  if (sentences.length === 0) {
    yield { type: "text", text: NO_ANSWER };
    return { text: NO_ANSWER, citations: [] };
  }
  const numbers = new Map<number, number>();
  const citations: Citation[] = [];
  let text = "";
  for (const { passage, sentence } of sentences) {
    const before = text === "" ? "" : SEPARATOR;
    const start = text.length + before.length;
    text += before + sentence.text;
    const number = numbers.get(passage) ?? numbers.size + 1;
    numbers.set(passage, number);
    const citation = { number, answerRange: { start, end: text.length }, ...cite(passages[passage]!, sentence) };
    citations.push(citation);
    yield { type: "text", text: before + sentence.text };
    yield { type: "citation", citation };
  }
  return { text, citations };
}

/** A citation of a range of a passage's stored text. */
function cite(
  passage: StoredPassage,
  { text, start, end }: { readonly text: string; readonly start: number; readonly end: number },
): Omit<Citation, "number" | "answerRange"> {
  // The chunk's own text has marks that the stored text lacks, mostly before a sentence.
  const at = passage.text.indexOf(text);
  const range = at < 0 ? { start: 0, end: passage.text.length } : { start: at, end: at + text.length };
  const [placed] = locateHighlights([range], passage.text, passage.page, parsePositions(passage.boxes));
  const { page, boxes } = placed!;
  return {
    chunkId: publicChunkId(passage.documentId, passage.ordinal),
    documentId: passage.documentId,
    quote: text,
    range: { start: passage.start + start, end: passage.start + end },
    sha256: sha256Of(text),
    headings: passage.headings,
    ...(page === undefined ? {} : { page }),
    ...(boxes === undefined ? {} : { boxes }),
  };
}
