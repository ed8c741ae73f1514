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
  /** Custom parsers, which run on the caller's thread and are tried before the built-in ones. */
  readonly parsers: readonly Parser[];
  /** A custom chunker, which runs on the caller's thread; `null` for the built-in one. */
  readonly chunker: Chunker | null;
  /** Time limit without progress for one document, in milliseconds; the total limit is four times as long. */
  readonly timeoutMs: number;
  /** Memory limit for one document, in the worker and on the caller's side together. */
  readonly maxMemoryBytes: number;
  /** The language model for documents with `useLlm`; `null` if none is configured. */
  readonly languageModel: EnrichmentModel | null;
}
