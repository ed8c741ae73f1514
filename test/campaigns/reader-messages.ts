// What the campaign of readers and its processes say to each other, one JSON document a line.

/** To a process. Each order has one answer with its number. */
export interface ReaderOrder {
  readonly id: number;
  /**
   * `search`: one search for all pieces of a document. `find`: searches until the document is found. The others change it,
   * and are answered when their caller is told that they have taken effect.
   */
  readonly order: "create" | "reingest" | "delete" | "search" | "find";
  readonly marker: string;
  /** The text of a new document, the job of an old one. */
  readonly text?: string;
  readonly job?: string;
  readonly document?: string;
  readonly mode?: "keyword" | "semantic" | "hybrid";
}

export interface ReaderAnswer {
  readonly id: number;
  readonly job?: string;
  readonly document?: string;
  /** The texts of the document's chunks that a search found. */
  readonly texts?: readonly string[];
  /** When a search that found the document ended, in milliseconds since the epoch. */
  readonly foundAt?: number;
  readonly error?: string;
}
