import { type ErrorCode, type InputIssue, KnowledgeBaseError, messageOf } from "../errors.js";
import type { ChunkOptions } from "../interfaces/chunker.js";
import type { AskModel, ModelAnswer, ModelMessage } from "../interfaces/language-model.js";
import type { ParseConfig } from "../interfaces/parser.js";
import type { PreparedDocument } from "./preparer.js";

/** A message to a worker, which handles one document at a time. */
export type MessageToWorker =
  | {
      readonly kind: "prepare";
      readonly file: { readonly name: string | null; readonly mimeType: string | null; readonly size: number };
      /** The first bytes of the file; the worker requests the others. */
      readonly part: Uint8Array;
      readonly parse: ParseConfig;
      readonly mainContent: boolean;
      /** Limit on the total time. */
      readonly timeoutMs: number;
      readonly chunk: Omit<ChunkOptions, "signal" | "countTokens">;
      readonly countAll: boolean;
      /** Whether the worker may send `askModel`. */
      readonly hasModel: boolean;
    }
  | { readonly kind: "part"; readonly part: Uint8Array }
  | { readonly kind: "tokenCounts"; readonly counts: readonly number[] }
  | { readonly kind: "countFailed"; readonly message: string }
  | { readonly kind: "modelAnswer"; readonly id: number; readonly answer: ModelAnswer }
  | ({ readonly kind: "modelError"; readonly id: number } & WireError)
  /** Requests `nextResults`. */
  | { readonly kind: "sendMore" };

/**
 * A message from a worker. Tokens are counted and the language model is called on the caller's thread, where the models
 * are.
 */
export type MessageFromWorker =
  /** Requests the next part of the file. */
  | { readonly kind: "nextPart" }
  /** Pages are being rendered or recognised: restarts the idle timeout and raises the memory limit. */
  | { readonly kind: "progress" }
  | { readonly kind: "countTokens"; readonly texts: readonly string[] }
  | {
      readonly kind: "askModel";
      /** Repeated in the answer: several calls may be in flight. */
      readonly id: number;
      readonly messages: readonly ModelMessage[];
      readonly settings: Omit<NonNullable<Parameters<AskModel>[1]>, "signal">;
    }
  /** The finished document with the first of its chunks and text, and whether there are `more` to request. */
  | { readonly kind: "prepared"; readonly document: PreparedDocument; readonly more: boolean }
  | ({ readonly kind: "nextResults"; readonly more: boolean } & Pick<PreparedDocument, "chunks" | "text">)
  | ({ readonly kind: "failed" } & WireError);

/** An error in a form that can be sent. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly issues: readonly InputIssue[];
  /** The message of the error's cause, for example of a parser library. */
  readonly cause?: string;
}

export function toWireError(error: unknown): WireError {
  if (!KnowledgeBaseError.is(error)) {
    return { code: "internal", message: messageOf(error), retryable: false, issues: [] };
  }
  const { code, message, retryable, issues, cause } = error;
  return { code, message, retryable, issues, ...(cause !== undefined && { cause: messageOf(cause) }) };
}
