import { type ErrorCode, type InputIssue, KnowledgeBaseError, messageOf } from "../errors.js";
import type { ChunkOptions } from "../interfaces/chunker.js";
import type { AskModel, ModelAnswer, ModelMessage } from "../interfaces/language-model.js";
import type { ParseConfig } from "../interfaces/parser.js";
import type { PreparedDocument } from "./preparer.js";

/** What a workplace is told. It does one document at a time. */
export type ToWorkplace =
  | {
      readonly kind: "prepare";
      readonly file: { readonly name: string | null; readonly mimeType: string | null; readonly size: number };
      /** The first of the file's bytes; more is asked for. */
      readonly part: Uint8Array;
      readonly parse: ParseConfig;
      readonly mainContent: boolean;
      /** For all of it, as long as there is progress. */
      readonly timeoutMs: number;
      readonly chunk: Omit<ChunkOptions, "signal" | "countTokens">;
      readonly countAll: boolean;
      /** Whether there is a language model to ask. */
      readonly canAsk: boolean;
    }
  | { readonly kind: "part"; readonly part: Uint8Array }
  | { readonly kind: "counted"; readonly counts: readonly number[] }
  | { readonly kind: "more" }
  | { readonly kind: "uncountable"; readonly message: string }
  | { readonly kind: "answered"; readonly id: number; readonly answer: ModelAnswer }
  | ({ readonly kind: "unanswered"; readonly id: number } & Failure);

/** An error on its way between workplaces. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly issues: readonly InputIssue[];
  /** The message of its cause, as of a library that parses; none where it has no cause. */
  readonly cause?: string;
}

/** What it answers. Counting tokens is the embedding model's business and descriptions are the language model's, and both live elsewhere. */
export type FromWorkplace =
  /** Asks for the next part of the file. */
  | { readonly kind: "next" }
  /** Pictures are being drawn or recognised: the time limit starts again, and more memory is allowed. */
  | { readonly kind: "progress" }
  | { readonly kind: "count"; readonly texts: readonly string[] }
  | {
      readonly kind: "ask";
      /** The answer has it: several may be under way. */
      readonly id: number;
      readonly messages: readonly ModelMessage[];
      readonly settings: Omit<NonNullable<Parameters<AskModel>[1]>, "signal">;
    }
  /** The finished document; of its chunks and its text the first part, and whether more are to be asked for. */
  | { readonly kind: "prepared"; readonly document: PreparedDocument; readonly more: boolean }
  | ({ readonly kind: "continued"; readonly more: boolean } & Pick<PreparedDocument, "chunks" | "text">)
  | ({ readonly kind: "failed" } & Failure);

/** What an error is, told so that it can be thrown again elsewhere. */
export function failureOf(error: unknown): Failure {
  if (!KnowledgeBaseError.is(error)) {
    return { code: "internal", message: messageOf(error), retryable: false, issues: [] };
  }
  const { code, message, retryable, issues, cause } = error;
  return { code, message, retryable, issues, ...(cause !== undefined && { cause: messageOf(cause) }) };
}
