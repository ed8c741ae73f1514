import type { Engine } from "../engine/engine.js";
import type { SearchOptions } from "../search/search.js";
import type { SearchTarget } from "../search/sources.js";
import type { StoredPassage } from "../storage/search-index.js";
import type { Metadata } from "../types.js";
import type { Answer, AnswerEvent, Citation } from "./answer.js";
import { cite } from "./cite.js";
import { type ExtractedSentence, extractSentences } from "./extract-sentences.js";
import { type FoundPassage, findPassages } from "./find-passages.js";

const SEPARATOR = "\n\n";

/**
 * Answers a question with sentences of the documents, quoted word for word and cited. The same question about the same
 * documents always gets the same answer.
 *
 * @param noAnswerText The answer's text if the documents have no answer.
 * @throws KnowledgeBaseError as {@link findPassages}
 */
export async function* answerWithQuotes<M>(
  engine: Engine,
  target: SearchTarget,
  question: string,
  noAnswerText: string,
  options: SearchOptions<M>,
): AsyncGenerator<AnswerEvent<M>, Answer<M>> {
  const { signal } = options;
  yield { type: "search", query: question };
  const found = await findPassages<M>(engine, target, question, options);
  const passages = found.map(({ hit }) => hit);
  yield { type: "passages", passages };
  const sources = found.map(({ text, stored }) => ({ text, context: contextOf(stored) }));
  const sentences = await extractSentences(question, sources, engine.textEmbedder, { signal });
  if (sentences.length === 0) yield { type: "text", text: noAnswerText };
  const { text, citations } = yield* yieldQuotes(sentences, found);
  return { text: text || noAnswerText, mode: "extractive", isAnswered: sentences.length > 0, citations, passages };
}

/** Returns the headings above a passage and the name of its file. */
export function contextOf({ headings, metadata }: StoredPassage): string {
  const { filename } = JSON.parse(metadata) as Metadata;
  return [...headings, ...(typeof filename === "string" ? [filename] : [])].join(" ");
}

function* yieldQuotes(
  sentences: readonly ExtractedSentence[],
  found: readonly FoundPassage<unknown>[],
): Generator<AnswerEvent<never>, { readonly text: string; readonly citations: readonly Citation[] }> {
  const numbers = new Map<number, number>();
  const citations: Citation[] = [];
  let text = "";
  for (const { passageIndex, sentence } of sentences) {
    const separator = text === "" ? "" : SEPARATOR;
    const start = text.length + separator.length;
    text += separator + sentence.text;
    const number = numbers.get(passageIndex) ?? numbers.size + 1;
    numbers.set(passageIndex, number);
    const citation = {
      number,
      answerRange: { start, end: text.length },
      ...cite(found[passageIndex]!, sentence),
    };
    citations.push(citation);
    yield { type: "text", text: separator + sentence.text };
    yield { type: "citation", citation };
  }
  return { text, citations };
}
