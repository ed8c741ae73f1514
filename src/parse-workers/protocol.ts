import type { ChunkOptions } from "../interfaces/chunker.js";
import type { GenerateText, ModelAnswer, ModelMessage } from "../interfaces/language-model.js";
import type { PageProgress, ParseConfig } from "../interfaces/parser.js";
import type { PreparedDocument } from "./preparer.js";

export interface PrepareRequest {
  readonly file: { readonly name: string | null; readonly mimeType: string | null; readonly size: number };
  /** The first bytes of the file; the worker requests the rest. */
  readonly part: Uint8Array;
  readonly parse: ParseConfig;
  readonly mainContent: boolean;
  /** Limit on the total time, in milliseconds. */
  readonly timeoutMs: number;
  readonly chunk: Omit<ChunkOptions, "signal" | "countTokens">;
  readonly countAll: boolean;
  readonly firstPages: boolean;
  /** Whether the worker may call `askModel`. */
  readonly hasModel: boolean;
}

/** A part of a document's chunks and text. */
export interface Results extends Pick<PreparedDocument, "chunks" | "text"> {
  /** Whether the caller has more results to request. */
  readonly hasMore: boolean;
}

/** The operations of a worker, which handles one document at a time. */
export interface WorkerOperations {
  /** Returns the document with its first results; `nextResults` returns the others. */
  prepare(request: PrepareRequest): Promise<PreparedDocument & Results>;
  nextResults(input: null): Results;
}

/**
 * The operations that the caller performs for the worker's document. The caller holds the models, so it counts tokens
 * and calls the language model.
 */
export interface CallerOperations {
  nextPart(input: null): Promise<Uint8Array>;
  countTokens(texts: readonly string[]): Promise<readonly number[]>;
  askModel(question: ModelQuestion): Promise<ModelAnswer>;
  /** Restarts the idle timeout and raises the memory limit, since pages are being rendered or recognised. */
  reportProgress(input: null): void;
  reportPages(pages: PageProgress): void;
}

export interface ModelQuestion {
  readonly messages: readonly ModelMessage[];
  readonly settings: Omit<NonNullable<Parameters<GenerateText>[1]>, "signal">;
}
