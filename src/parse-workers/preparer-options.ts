import type { Chunker } from "../interfaces/chunker.js";
import type { GenerateText } from "../interfaces/language-model.js";
import type { Parser } from "../interfaces/parser.js";

/** The language model that describes images and corrects recognised text. */
export interface EnrichmentModel {
  /** Identifies the model: documents are processed again when it changes. */
  readonly name: string;
  readonly ask: GenerateText;
}

export interface PreparerOptions {
  /** Custom parsers, tried before the built-in ones. They run on the caller's thread. */
  readonly parsers: readonly Parser[];
  /** A custom chunker, which runs on the caller's thread; `null` for the built-in one. */
  readonly chunker: Chunker | null;
  /** Limit without progress for one document, in milliseconds; the limit on the total is four times as long. */
  readonly timeoutMs: number;
  /** Memory limit for one document, in the worker and on the caller's side together. */
  readonly maxMemoryBytes: number;
  /** Used for documents with `useLlm`; `null` if there is none. */
  readonly languageModel: EnrichmentModel | null;
}
