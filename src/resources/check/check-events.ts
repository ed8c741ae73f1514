/** What a check compares, in this order. */
export type CheckStage =
  | "database"
  | "documents"
  | "chunks"
  | "vectors"
  | "texts"
  | "sources"
  | "index"
  | "usage"
  | "counts"
  | "files";

/** Something that a check found wrong. */
export interface CheckFinding {
  readonly stage: CheckStage;
  /** What is wrong, and why, as one or more sentences. */
  readonly message: string;
  /** `null` if it concerns no single namespace. */
  readonly namespaceId: string | null;
  /** The document whose content is affected; `null` if none is. */
  readonly documentId: string | null;
  readonly documentName: string | null;
  /** The page of the document, from 1; `null` if unknown. */
  readonly page: number | null;
  /**
   * What helps. `rebuild`: it is derived from other data, and a check with `repair` builds it again. `ingest-again`: the
   * document's job has to be ingested again. `upload-again`: the content itself is lost, and has to be given again.
   * `restore`: the database file is damaged, and has to be restored from a backup. With such a finding of the stage
   * `database`, nothing is repaired, since a write to a damaged file may destroy what is sound in it. `manual`: none of
   * these; the message says what to do.
   */
  readonly remedy: "rebuild" | "ingest-again" | "upload-again" | "restore" | "manual";
  /** Whether this check has repaired it. A document that was marked as FAILED is not repaired. */
  readonly isRepaired: boolean;
}

/** A document that lost content. */
export interface DamagedDocument {
  readonly documentId: string;
  readonly ingestJobId: string;
  /** Whether it can be ingested again from its stored source. */
  readonly hasSource: boolean;
}

export interface CheckSummary {
  /** The numbers of published documents, of chunks and of stored files that were compared. */
  readonly checked: { readonly documents: number; readonly chunks: number; readonly files: number };
  readonly findings: number;
  readonly repaired: number;
  /** The documents to ingest again. With `repair`, they are FAILED, with the reason as their error. */
  readonly damaged: readonly DamagedDocument[];
}

/** What a check reports while it runs. The last event is the summary. */
export type CheckEvent =
  | { readonly type: "finding"; readonly finding: CheckFinding }
  /** `done` and `total` are in rows, files or scopes; both are estimates of how far the stage is. */
  | { readonly type: "progress"; readonly stage: CheckStage; readonly done: number; readonly total: number }
  | { readonly type: "summary"; readonly summary: CheckSummary };
