import type { CallUsage } from "../interfaces/hosted.js";
import type { FinishReason } from "../interfaces/language-model.js";
import type { SearchHit } from "../search/search-hit.js";
import type { AnswerMode, Metadata, PageBox, SheetRange, TextRange } from "../types.js";

/** A quote that supports a part of an answer. */
export interface Citation {
  /** The number of the cited passage, from 1, in the order in which passages are first cited. */
  readonly number: number;
  /** `<documentId>#<sequence number>`. */
  readonly chunkId: string;
  readonly documentId: string;
  /** The name of the document's file, the title of a video or page, the URL if there is neither, or else the id. */
  readonly documentName: string;
  /** The address of the document; absent if it has none. */
  readonly url?: string;
  /** The part of the answer's text that the quote supports. */
  readonly answerRange: TextRange;
  readonly quote: string;
  /** The range of the quote in the document's text, as `documents.text` returns it. */
  readonly range: TextRange;
  /** SHA-256 of the quote in UTF-8, in hex. */
  readonly sha256: string;
  /** The headings above the whole passage, outermost first; empty if it spans several outermost sections. */
  readonly headings: readonly string[];
  /** The page of the quote, from 1; absent if the format has no pages. */
  readonly page?: number;
  /** The rectangles of the blocks and rows of tables that the quote overlaps; absent if the format has no layout. */
  readonly boxes?: readonly PageBox[];
  /** The rows of a workbook that the quote comes from; absent if it comes from no table of a workbook. */
  readonly cells?: readonly SheetRange[];
}

/** A message of the conversation before a question. */
export interface ChatMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** An answer with its citations. */
export interface Answer<M = Metadata> {
  /** The answer without citation markers. */
  readonly text: string;
  readonly mode: AnswerMode;
  /**
   * Whether the passages answer the question; if not, `text` says so. A language model's text without citations counts
   * as no answer.
   */
  readonly isAnswered: boolean;
  /** The citations, in the order of the text. */
  readonly citations: readonly Citation[];
  /** The passages found, best first. With several searches: in the order of the searches, each passage once. */
  readonly passages: readonly SearchHit<M>[];
  /** The tokens of all language model calls, if the model reports them. */
  readonly usage?: CallUsage;
  /** Why the language model ended the text: `length` if it was cut off. Absent without a language model. */
  readonly finish?: FinishReason;
}

/** A step of an answer. The texts of all `text` events are the answer's text. */
export type AnswerEvent<M = Metadata> =
  /** A search begins: for the question, rewritten to stand without the history, or for a query of the model. */
  | { readonly type: "search"; readonly query: string }
  /** The passages that the search found, without those of earlier events. */
  | { readonly type: "passages"; readonly passages: readonly SearchHit<M>[] }
  | { readonly type: "text"; readonly text: string }
  /** A citation, which follows the text that it supports. */
  | { readonly type: "citation"; readonly citation: Citation };
