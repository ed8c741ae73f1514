/** A document whose stored content is not what it should be. */
export interface DocumentProblem {
  readonly documentId: string;
  readonly documentName: string | null;
  readonly namespaceId: string;
  readonly ingestJobId: string;
  /** The published generation. */
  readonly generation: number;
  /** The page, for formats with pages; `null` if the problem isn't on one page. */
  readonly page: number | null;
  /** What is wrong, as a sentence. */
  readonly problem: string;
  /** Whether the step has repaired it. @default false */
  readonly isRepaired?: boolean;
}

/** Where a step of a check begins, and how many rows it may read. */
export interface CheckRange {
  /** The last row of the step before, 0 at first. */
  readonly after: number;
  readonly limit: number;
}

/** The result of one step of a check. */
export interface CheckedRows<Problem> {
  readonly problems: readonly Problem[];
  /** The last row of the step, where the next one goes on; `null` if there are no more. */
  readonly last: number | null;
  /** The number of rows that were compared. */
  readonly rows: number;
}
