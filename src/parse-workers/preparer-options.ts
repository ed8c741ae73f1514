import type { Chunker } from "../interfaces/chunker.js";
import type { AskModel } from "../interfaces/language-model.js";
import type { Parser } from "../interfaces/parser.js";

/** A language model that is asked. */
export interface AskedModel {
  /** By which one model is told from another. */
  readonly name: string;
  readonly ask: AskModel;
}

export interface PreparerOptions {
  /** The caller's own parsers, asked before the built-in ones. They run on the caller's thread. */
  readonly parsers: readonly Parser[];
  /** The caller's own chunker, on the caller's thread; null for the built-in one. */
  readonly chunker: Chunker | null;
  /** A document that takes longer without progress, or four times as long in all, fails. */
  readonly timeoutMs: number;
  /** What one document may take, here and where it is parsed; one that needs more fails. */
  readonly maxMemoryBytes: number;
  /** What documents with `useLlm` are refined by; null where there is none. */
  readonly languageModel: AskedModel | null;
}
