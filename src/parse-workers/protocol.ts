import type { ChunkOptions } from "../interfaces/chunker.js";
import type { GenerateText, ModelAnswer, ModelMessage } from "../interfaces/language-model.js";
import type { ParseConfig } from "../interfaces/parser.js";
import type { PreparedDocument } from "./preparer.js";

export interface PrepareRequest {
  readonly file: { readonly name: string | null; readonly mimeType: string | null; readonly size: number };
  /** The first bytes of the file; the worker requests the others. */
  readonly part: Uint8Array;
  readonly parse: ParseConfig;
  readonly mainContent: boolean;
  /** Limit on the total time. */
  readonly timeoutMs: number;
  readonly chunk: Omit<ChunkOptions, "signal" | "countTokens">;
  readonly countAll: boolean;
  /** Whether the worker may call `askModel`. */
  readonly hasModel: boolean;
}

/** A part of a document's chunks and text. */
export interface Results extends Pick<PreparedDocument, "chunks" | "text"> {
  /** Whether there are more to request. */
  readonly more: boolean;
}

/** What a worker does, one document at a time. */
export interface WorkerOperations {
  /** Returns the document with the first of its results. */
  prepare(request: PrepareRequest): Promise<PreparedDocument & Results>;
  nextResults(input: null): Results;
}

/**
 * What its caller does for the document. Tokens are counted and the language model is called on the caller's thread,
 * where the models are.
 */
export interface CallerOperations {
  nextPart(input: null): Promise<Uint8Array>;
  countTokens(texts: readonly string[]): Promise<readonly number[]>;
  askModel(question: ModelQuestion): Promise<ModelAnswer>;
  /** Pages are being rendered or recognised: restarts the idle timeout and raises the memory limit. */
  progress(input: null): void;
}

export interface ModelQuestion {
  readonly messages: readonly ModelMessage[];
  readonly settings: Omit<NonNullable<Parameters<GenerateText>[1]>, "signal">;
}
