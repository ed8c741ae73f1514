/** Options that every asynchronous call takes. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason (by default an `AbortError`). */
  readonly signal?: AbortSignal | undefined;
}

/** Options of calls that read documents. */
export interface ReadOptions extends CallOptions {
  /**
   * The principals for which the call is made, such as a user and the user's groups: at most 1000. It sees only documents
   * without {@link IngestConfig.allow}, and those that allow one of them. With an empty list, it sees only the former.
   * @default those that the handle is bound to (`visibleTo`); if to none, all documents are seen
   */
  readonly principals?: readonly string[] | undefined;
}

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The caller's own keys, stored with every chunk of a document and returned with every hit. */
export type Metadata = { readonly [key: string]: JsonValue };

/**
 * The metadata keys that the engine sets on chunks and hits. Filters can use all of them.
 *
 * The first five are reserved: `ingest` rejects metadata that has one of them. A key of the same name in the caller's
 * metadata overrides any of the others, with the caller's type.
 */
export interface EngineMetadata {
  readonly documentId: string;
  readonly namespaceId: string;
  /** Absent in the default partition. */
  readonly tenantId?: string;
  /** The chunk's position in its document, from 0. */
  readonly sequence_number: number;
  /**
   * The page on which the chunk starts, from 1; in presentations the slide, in workbooks the sheet. Absent if the
   * format has no pages.
   */
  readonly page_number?: number;
  /** The name of the file, or the title of a crawled page. Absent for texts without a name and for videos. */
  readonly filename?: string;
  /**
   * The headings that apply to the whole chunk, outermost first: of a chunk with several sections, those that the sections
   * share. Absent if there are none.
   */
  readonly headings?: readonly string[];
  /**
   * The names of the tables that the chunk has rows of: their captions, or else the names of their sheets. Absent if it
   * has no rows of a table with a name.
   */
  readonly tables?: readonly string[];
  /** The URL of a downloaded file, crawled page or video. */
  readonly url?: string;
  /** The path of a synced file, relative to its folder. */
  readonly path?: string;
  /** The time in a video at which the chunk starts, in whole seconds. */
  readonly youtube_timestamp?: number;
  /** The title of a video that was ingested with `includeMetadata`. */
  readonly youtube_title?: string;
}

/** Every state of an ingest job or a document. */
export const STATUSES = [
  "BACKLOG",
  "QUEUED",
  "QUEUED_FOR_RESYNC",
  "QUEUED_FOR_DELETE",
  "PRE_PROCESSING",
  "PROCESSING",
  "DELETING",
  "CANCELLING",
  "CANCELLED",
  "COMPLETED",
  "FAILED",
] as const;

export type Status = (typeof STATUSES)[number];

/** The events that a webhook can be sent. Except for `deleted`, they are named after the status that was entered. */
export const WEBHOOK_EVENT_TYPES = [
  "document.queued_for_resync",
  "document.processing",
  "document.completed",
  "document.failed",
  "document.cancelled",
  "document.queued_for_delete",
  "document.deleted",
  "ingest_job.queued",
  "ingest_job.queued_for_resync",
  "ingest_job.processing",
  "ingest_job.completed",
  "ingest_job.failed",
  "ingest_job.cancelled",
  "ingest_job.queued_for_delete",
  "ingest_job.deleted",
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number];

/** A namespace's embedding model, such as `{ provider: "MANAGED_LEXICAL" }`. */
export type EmbeddingConfig = { readonly provider: string; readonly model?: string } & Metadata;

/** A namespace's vector store. */
export type VectorStoreConfig = { readonly provider: string } & Metadata;

/** The owner of namespaces and API keys. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  /** Sets the rate limit of the HTTP API and the size limit of uploads. `null`, for embedded use, means no plan. */
  readonly plan: "free" | "pro" | null;
  /** What the organization may store. */
  readonly quota: Quota;
  readonly createdAt: string;
}

/** Limits on what an organization stores. `null` for no limit. */
export interface Quota {
  /** Documents in any status; those that are being deleted don't count. */
  readonly documents: number | null;
  /** Bytes of the documents' sources. */
  readonly bytes: number | null;
  /** Tokens of the documents' passages. */
  readonly tokens: number | null;
}

/** Limits to set: those that are omitted stay as they are, and `null` removes one. */
export type QuotaInput = { readonly [Resource in keyof Quota]?: Quota[Resource] | undefined };

/** What an organization stores, in the units of its {@link Quota}. */
export interface Usage {
  readonly documents: number;
  readonly bytes: number;
  readonly tokens: number;
}

/** A collection of documents with one embedding model and one vector store. */
export interface Namespace {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly organizationId: string;
  readonly createdAt: string;
  readonly embeddingConfig: EmbeddingConfig;
  readonly vectorStoreConfig: VectorStoreConfig;
  /** The number of the set of vectors that searches use. It changes together with `embeddingConfig`, see `Reembedding`. */
  readonly vectorSet: number;
}

/** What embedding a namespace again takes, before it is started. */
export interface ReembeddingEstimate {
  /**
   * The chunks of published documents, each of which gets a new vector. If only the vector store changes, those in the database
   * are copied. From a store, a hosted model isn't asked for those in the namespace's cache: of documents that were ingested with
   * it, but not of those that a re-embedding embedded by it.
   */
  readonly chunks: number;
  /** Their tokens, as the present model counts them. */
  readonly tokens: number;
  /** The characters of the documents, without what chunks repeat. */
  readonly characters: number;
  readonly dimensions: number;
  /** The size of the new vectors, in the database or in the vector store, in bytes. */
  readonly vectorBytes: number;
}

/** The change of a namespace's embedding model or vector store. It lasts until the vectors that searches don't use are discarded. */
export interface Reembedding {
  /**
   * - `running`: vectors of the new model are written; searches use the old ones.
   * - `ready`: they are complete; searches use the old ones until the cut-over.
   * - `cut_over`: searches use the new ones; the old ones are kept for a rollback.
   * - `discarding`: the vectors that searches don't use are being removed.
   */
  readonly state: "running" | "ready" | "cut_over" | "discarding";
  /** The configuration of the vectors that searches don't use: the new model, or after the cut-over the old one. */
  readonly embeddingConfig: EmbeddingConfig;
  /** Where these vectors are. */
  readonly vectorStoreConfig: VectorStoreConfig;
  /** The number of the set of vectors that searches don't use. */
  readonly vectorSet: number;
  /** Whether searches are to use these vectors as soon as they are complete. */
  readonly isCutOverRequested: boolean;
  /** The maximum number of chunks to embed per second; `null` for no limit. */
  readonly chunksPerSecond: number | null;
  /** The number of chunks embedded so far. Chunks of documents that were removed since may be among them. */
  readonly embedded: number;
  /** The number of chunks of published documents. */
  readonly total: number;
  /** The last error; `null` if there is none. */
  readonly error: string | null;
  /** Whether the error has stopped it until it is resumed. Otherwise it is tried again. */
  readonly isStopped: boolean;
  readonly startedAt: string;
  /** When all chunks had vectors first; `null` before. */
  readonly completedAt: string | null;
}

/** When a job or document reached each phase, as ISO 8601 in UTC; `null` if it has not yet. */
export interface Phases {
  readonly createdAt: string;
  readonly queuedAt: string | null;
  readonly preProcessingAt: string | null;
  readonly processingAt: string | null;
  readonly completedAt: string | null;
  readonly failedAt: string | null;
}

/**
 * How documents are parsed and chunked, and the metadata that they get. A setting that doesn't apply to a document's
 * format adds a warning to the document.
 */
export interface IngestConfig<M = Metadata> {
  /** Target size of a chunk in characters, 32 to 65536. @default 2048, or `maxChunkSize` if that is less */
  readonly chunkSize?: number | undefined;
  /**
   * Characters repeated from the previous chunk, in whole sentences. Must be less than `chunkSize`; at most half a
   * chunk is repeated.
   * @default 0
   */
  readonly chunkOverlap?: number | undefined;
  /** Maximum size of a chunk in characters: 32 to 131072, at least `chunkSize`. @default 2 × chunkSize */
  readonly maxChunkSize?: number | undefined;
  /** A literal string of 1 to 1000 characters that always ends a chunk and is not part of it. @default none */
  readonly delimiter?: string | undefined;
  /**
   * Metadata of every document and chunk, for filters and hits: at most 100 keys, 5 levels and 64 KiB as JSON. Keys of
   * a batch item's metadata override the keys of the job. The engine's keys `documentId`, `namespaceId`, `tenantId`,
   * `sequence_number` and `page_number` are refused.
   * @default none
   */
  readonly metadata?: M | undefined;
  /**
   * The principals that may see the documents, such as `["group:eng", "user:7"]`: at most 1000, each of 1 to 256
   * characters. A call with `principals` finds a document only if one of them is listed; with an empty list, only calls
   * without `principals` find it. The list of a batch item replaces that of the job.
   * @default all principals
   */
  readonly allow?: readonly string[] | undefined;
  /**
   * Leaves out images: their descriptions in the document, and captions by a language model (`useLlm`).
   * @default false
   */
  readonly disableImageExtraction?: boolean | undefined;
  /**
   * Leaves out captions of images by a language model (`useLlm`) and, in `.docx`, `.pptx` and `.xlsx` files, the
   * author's descriptions.
   * @default false
   */
  readonly disableImageCaptions?: boolean | undefined;
  /**
   * Converts the data of charts in office documents to tables. If false, only a chart's title is kept.
   * @default true for `.docx` and `.pptx`; false for OpenDocument files and for spreadsheets, whose cells already have
   * the data
   */
  readonly chartUnderstanding?: boolean | undefined;
  /** Keeps headers that repeat at the top of pages. @default false */
  readonly keepPageheaderInOutput?: boolean | undefined;
  /** Keeps footers that repeat at the bottom of pages, including page numbers. @default false */
  readonly keepPagefooterInOutput?: boolean | undefined;
  /**
   * Runs text recognition (OCR) on every page of a PDF, including pages that have text. Needs the optional packages
   * `tesseract.js-core` and `@tesseract.js-data/<language>`.
   * @default false: OCR runs on scanned pages, and on pages whose text is missing or unreadable
   */
  readonly forceOcr?: boolean | undefined;
  /**
   * Keeps LaTeX formulas out of the captions that a language model writes (`useLlm`). Does not affect OCR.
   * @default false
   */
  readonly disableOcrMath?: boolean | undefined;
  /**
   * Uses the knowledge base's `languageModel` to describe images and to repair tables in PDFs and images, at the cost
   * of calls to that model. If no model is configured, the document gets a warning.
   * @default false
   */
  readonly useLlm?: boolean | undefined;
  /**
   * Language of the text as a BCP 47 tag, such as `en` or `pt-BR`: for text recognition, for stemming in keyword search
   * and for captions by a language model.
   * @default detected from the text for stemming, English for text recognition, the document's language for captions
   */
  readonly languageCode?: string | undefined;
  /**
   * Effort of text recognition (OCR): pages of PDFs are rendered at 150, 200 or 300 dpi. `fast` reads scanned pages of
   * PDFs only with `forceOcr`, and doesn't read badly recognised text a second time.
   * @default "balanced"
   */
  readonly mode?: "fast" | "balanced" | "accurate" | undefined;
}

/** How documents are chunked. What is absent has its default. */
export type ChunkingConfig = Pick<IngestConfig, "chunkSize" | "chunkOverlap" | "maxChunkSize" | "delimiter">;

/** One text. */
export interface TextPayload {
  readonly type: "TEXT";
  readonly text: string;
  /** A name of 1 to 255 characters for hits, whose extension tells the format. @default no name, and plain text */
  readonly fileName?: string | undefined;
}
/** A file at an `http` or `https` URL, whose host must be public unless `network.allowPrivateHosts` lists it. */
export interface FilePayload {
  readonly type: "FILE";
  readonly fileUrl: string;
  /** @default the name that the server or the URL gives */
  readonly fileName?: string | undefined;
}
/** An uploaded file. */
export interface ManagedFilePayload {
  readonly type: "MANAGED_FILE";
  /** The key that `uploads.create` or `uploads.put` returned. */
  readonly key: string;
  /** @default the name given at the upload */
  readonly fileName?: string | undefined;
}
/** A web site, crawled breadth-first from one page. Each page, and each file that it links to, becomes a document. */
export interface CrawlPayload {
  readonly type: "CRAWL";
  /** The page to start from. Only its site is crawled: its host, with and without `www.`. */
  readonly url: string;
  /** How far to follow links, 1 to 100; 1 is the start page alone. @default 5 */
  readonly maxDepth?: number | undefined;
  /** Maximum number of documents, including failed ones, 1 to 100000. @default 50 */
  readonly limit?: number | undefined;
  /** Paths to keep, with everything below them, such as `/docs`. The start page is always read. @default all */
  readonly includePaths?: readonly string[] | undefined;
  /** Paths to leave out, with everything below them; takes precedence over `includePaths`. @default none */
  readonly excludePaths?: readonly string[] | undefined;
  /** Headers of each request to the origin of `url`, and to no other origin. Stored encrypted. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
/** Transcripts of videos. */
export interface YoutubePayload {
  readonly type: "YOUTUBE";
  /** URLs of videos, playlists and channels, 1 to 1000. */
  readonly urls: readonly string[];
  /** Language tags in order of preference. @default ["en"] */
  readonly transcriptLanguages?: readonly string[] | undefined;
  /** Adds a video's title, channel and other details to the metadata of its chunks. @default false */
  readonly includeMetadata?: boolean | undefined;
}
/** One text, file or upload of a batch. */
export type BatchItem<M = Metadata> = (TextPayload | FilePayload | ManagedFilePayload) & {
  /** Overrides the job's config field by field, and its metadata key by key. */
  readonly config?: IngestConfig<M> | undefined;
};
/** Several texts, files and uploads in one job. */
export interface BatchPayload<M = Metadata> {
  readonly type: "BATCH";
  /** 1 to 1000 items. */
  readonly items: readonly BatchItem<M>[];
}

/** The content of a job. */
export type IngestPayload<M = Metadata> =
  | TextPayload
  | FilePayload
  | ManagedFilePayload
  | CrawlPayload
  | YoutubePayload
  | BatchPayload<M>;

/** Progress of a job. */
export interface IngestCounts {
  readonly documents: { readonly total: number; readonly completed: number; readonly failed: number };
  /** Pages of published documents. */
  readonly pages: number;
  /** Chunks of published documents. */
  readonly chunks: number;
  /** Vectors that were computed or reused. */
  readonly embedded: number;
}

/** One submission of content to a namespace. */
export interface IngestJob<M = Metadata> extends Phases {
  readonly id: string;
  readonly namespaceId: string;
  readonly tenantId: string | null;
  readonly externalId: string | null;
  readonly name: string | null;
  readonly status: Status;
  readonly error: string | null;
  readonly payload: IngestPayload<M>;
  readonly config: IngestConfig<M>;
  readonly counts: IngestCounts;
}

/** Where a document came from. */
export type DocumentSource =
  | { readonly type: "TEXT"; readonly text: string }
  | { readonly type: "FILE"; readonly fileUrl: string }
  | { readonly type: "MANAGED_FILE"; readonly key: string }
  | {
      readonly type: "CRAWLED_PAGE";
      readonly url: string;
      readonly title?: string | null;
      readonly description?: string | null;
      readonly language?: string | null;
    }
  | {
      readonly type: "YOUTUBE_VIDEO";
      readonly videoId: string;
      readonly url: string;
      /** Seconds; `null` if unknown. */
      readonly duration?: number | null;
    }
  /** The stored source is damaged: `kb.check()` says what helps. */
  | { readonly type: "UNREADABLE" };

/** One ingested text, file, page or video. */
export interface KnowledgeDocument<M = Metadata> extends Phases {
  readonly id: string;
  readonly ingestJobId: string;
  readonly namespaceId: string;
  readonly name: string | null;
  readonly tenantId: string | null;
  readonly status: Status;
  readonly error: string | null;
  readonly source: DocumentSource;
  readonly properties: {
    /** Bytes. */
    readonly fileSize: number;
    readonly mimeType: string;
  };
  readonly config: IngestConfig<M>;
  /** What could not be read or applied, as sentences; empty if there were no problems. */
  readonly warnings: readonly string[];
  readonly totalChunks: number;
  /** Counted by the embedding model's own tokenizer. */
  readonly totalTokens: number;
  readonly totalCharacters: number;
  /** 1 if the format has no pages. */
  readonly totalPages: number;
}

/** A rectangle on a page. */
export interface PageBox {
  /** The page's number, from 1. */
  readonly page: number;
  /** Left, top, right and bottom, in points from the page's upper left corner. */
  readonly bbox: readonly [number, number, number, number];
}

/** A rectangle of cells in a workbook. */
export interface SheetRange {
  /** The name of the sheet. */
  readonly sheet: string;
  /** The first and the last cell, as in `A12:F12`; of a single cell, `A12`. */
  readonly range: string;
}

/** A range of a document's text in UTF-16 units; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * How an answer is made:
 * - `extractive`: sentences of the documents, quoted word for word, without a language model.
 * - `single`: a language model answers from the passages of one search.
 * - `agentic`: a language model searches as often as it needs to, within limits.
 */
export type AnswerMode = "extractive" | "single" | "agentic";

/** A stored passage of a document. */
export interface Chunk<M = Metadata> {
  /** `<documentId>#<sequence number>`. */
  readonly id: string;
  readonly documentId: string;
  readonly text: string;
  /** The caller's keys and the engine's. */
  readonly metadata: M & EngineMetadata;
  /** The chunk's range in the document's text, as `documents.text` returns it. */
  readonly range: TextRange;
  /** The first and last page of the chunk, from 1; absent if the format has no pages. */
  readonly pages?: readonly [first: number, last: number];
  /**
   * The chunk's rectangles on the pages of the file: one for each block that is at least partly in the chunk, but only
   * on pages whose text is in the chunk. More than 64 rectangles are merged into one per page. Absent if the format has
   * no layout.
   */
  readonly boxes?: readonly PageBox[];
  /**
   * The cells that the chunk's rows of tables come from, in the order of the text; ranges below one another are joined.
   * Absent if there are none, and for workbooks ingested before cells were stored, until ingested again.
   */
  readonly cells?: readonly SheetRange[];
}

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
  readonly hasMore: boolean;
}

/** The unit of isolation of chunks, vectors and term statistics: a namespace, or one tenant of it. */
export interface Scope {
  readonly organizationId: string;
  readonly namespaceId: string;
  /** `null` for the namespace's default partition. */
  readonly tenantId: string | null;
}
