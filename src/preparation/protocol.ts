import type { ErrorCode, InputIssue } from "../errors.js";
import type { ChunkOptions } from "../interfaces/chunker.js";
import type { ParseConfig, SourceFile } from "../interfaces/parser.js";
import type { PreparedDocument } from "../interfaces/preparer.js";

/** What a workplace is told. It does one document at a time. */
export type ToWorkplace =
  | {
      readonly kind: "prepare";
      readonly file: SourceFile;
      readonly parse: ParseConfig;
      readonly mainContent: boolean;
      readonly timeoutMs: number;
      readonly chunk: Omit<ChunkOptions, "signal" | "countTokens">;
      readonly countAll: boolean;
    }
  | { readonly kind: "counted"; readonly counts: readonly number[] }
  | { readonly kind: "more" }
  | { readonly kind: "uncountable"; readonly message: string };

/** What it answers. Counting tokens is the embedding model's business, and that lives elsewhere. */
export type FromWorkplace =
  | { readonly kind: "count"; readonly texts: readonly string[] }
  /** The finished document; of its chunks and its text the first part, and whether more are to be asked for. */
  | { readonly kind: "prepared"; readonly document: PreparedDocument; readonly more: boolean }
  | ({ readonly kind: "continued"; readonly more: boolean } & Pick<PreparedDocument, "chunks" | "text">)
  | {
      readonly kind: "failed";
      readonly code: ErrorCode;
      readonly message: string;
      readonly retryable: boolean;
      readonly issues: readonly InputIssue[];
    };
