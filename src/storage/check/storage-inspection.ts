import type { UsageProblem } from "./check-usage.js";

/** A part of the search index that can be built again from the chunks and vectors. */
export type DerivedPart = "keywords" | "metadata" | "records" | "count";

/** What is wrong with a scope's index. */
export interface ScopeProblem {
  readonly part: DerivedPart;
  /** As a sentence. */
  readonly problem: string;
}

/** Checks what is particular to a database engine, beside the searches. */
export interface StorageInspection {
  /** Returns what the engine itself finds wrong in its files, as sentences. */
  checkDatabase(): Promise<readonly string[]>;
  /** Compares the search index of a scope with the scope's chunks and vectors. */
  checkScope(scope: { readonly scopeId: number }): Promise<readonly ScopeProblem[]>;
  /** Compares the recorded usage of all namespaces with their documents. */
  checkUsage(): Promise<readonly UsageProblem[]>;
  /** Builds indexes of the database again which contain no content of their own. */
  repairDatabase(): Promise<void>;
  /** Builds a part of a scope's index again. */
  repairScope(repair: { readonly scopeId: number; readonly part: DerivedPart }): Promise<void>;
  close(): Promise<void>;
}
