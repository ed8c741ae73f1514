import type { UsageProblem } from "./check-usage.js";

/** A part of the search index that can be built again from the chunks and vectors. */
export type DerivedPart = "keywords" | "metadata" | "records" | "count";

/** What is wrong with a scope's index. */
export interface ScopeProblem {
  readonly part: DerivedPart;
  /** As a sentence. */
  readonly problem: string;
}

/** What an engine finds wrong in its own files. */
export type DatabaseProblem = {
  /** As one or more sentences. */
  readonly problem: string;
} & (
  | {
      /** An index that differs from its table, in a file that is sound otherwise. */
      readonly part: "index";
      readonly index: string;
    }
  | {
      /** A scope's keyword index, in a file that is sound otherwise. */
      readonly part: "keywords";
      readonly scopeId: number;
    }
  | {
      /** References to rows that are missing. */
      readonly part: "reference";
      /** What they mean and what to do, as one or more sentences, if the file is sound otherwise. */
      readonly advice: string;
    }
  | {
      /** Anything else. What a write to such a file destroys is unknown, so nothing may be written. */
      readonly part: "file";
    }
);

/** Checks what is particular to a database engine, beside the searches. */
export interface StorageInspection {
  /** Returns what the engine itself finds wrong in its files. An engine may limit how many it lists at once. */
  checkDatabase(): Promise<readonly DatabaseProblem[]>;
  /** Compares the search index of a scope with the scope's chunks and vectors. */
  checkScope(scope: { readonly scopeId: number }): Promise<readonly ScopeProblem[]>;
  /** Compares the recorded usage of all namespaces with their documents. */
  checkUsage(): Promise<readonly UsageProblem[]>;
  /** Builds an index of the database again from its table. The rest of the file must be sound. */
  repairIndex(repair: { readonly index: string }): Promise<void>;
  /** Builds a part of a scope's index again. */
  repairScope(repair: { readonly scopeId: number; readonly part: DerivedPart }): Promise<void>;
  close(): Promise<void>;
}
