import { type ErrorCode, getErrorMessage, type InputIssue, KnowledgeBaseError } from "../errors.js";

/** An error in a form that can be sent to another thread or process. */
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
    return { code: "internal", message: getErrorMessage(error), retryable: false, issues: [] };
  }
  const { code, message, retryable, issues, cause } = error;
  return { code, message, retryable, issues, ...(cause !== undefined && { cause: getErrorMessage(cause) }) };
}

export function fromWireError({ code, message, retryable, issues, cause }: WireError): KnowledgeBaseError {
  return new KnowledgeBaseError(code, message, { retryable, issues, cause: cause && new Error(cause) });
}
