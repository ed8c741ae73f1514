/** Options that every asynchronous call takes. */
export interface CallOptions {
  /** Ends the call early with an `AbortError`. */
  readonly signal?: AbortSignal | undefined;
}

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A caller's own keys, stored with every chunk of a document and returned with every hit. */
export type Metadata = { readonly [key: string]: JsonValue };

/**
 * Keys of the metadata of chunks and hits that the engine sets, all of which filters can use. The first five are the engine's alone: metadata
 * given at ingest that has one of them is refused. The others give way to a key of the same name in the metadata given at ingest, which then has
 * whatever type the caller gave it.
 */
export interface EngineMetadata {
  readonly documentId: string;
  readonly namespaceId: string;
  /** Absent in the default partition. */
  readonly tenantId?: string;
  /** The chunk's place among those of its document, from 0. */
  readonly sequence_number: number;
  /** The page on which the chunk begins, from 1: a slide of a presentation, a sheet of a workbook. Absent where the format has no pages. */
  readonly page_number?: number;
  /** The name of the file, or the title of a crawled page. Absent for a text without a name, and for videos. */
  readonly filename?: string;
  /** The headings above everything in the chunk, outermost first. Absent where there are none. */
  readonly headings?: readonly string[];
  /** Where it was fetched: of a file at an address, a crawled page, a video. */
  readonly url?: string;
  /** Of a synced file: its path below the folder. */
  readonly path?: string;
  /** Of a video: when what the chunk begins with is said, in whole seconds. */
  readonly youtube_timestamp?: number;
  /** Of a video that was ingested with `includeMetadata`. */
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

/** A namespace's embedding model. */
export type EmbeddingConfig = { readonly provider: string; readonly model?: string } & Metadata;

/** A namespace's vector store. */
export type VectorStoreConfig = { readonly provider: string } & Metadata;

/** Who owns namespaces and keys. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  /** `free` and `pro` set the upload limits of the HTTP interface; null means embedded use, without plan limits. */
  readonly plan: "free" | "pro" | null;
  readonly createdAt: string;
}

/** A container of documents with one embedding model and one vector store. */
export interface Namespace {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly organizationId: string;
  readonly createdAt: string;
  readonly embeddingConfig: EmbeddingConfig;
  readonly vectorStoreConfig: VectorStoreConfig;
}

/** When a job or document reached each phase, as ISO 8601 in UTC; null where it has not. */
export interface Phases {
  readonly createdAt: string;
  readonly queuedAt: string | null;
  readonly preProcessingAt: string | null;
  readonly processingAt: string | null;
  readonly completedAt: string | null;
  readonly failedAt: string | null;
}

/**
 * How documents are parsed and chunked, and the metadata that they carry. A switch that a document's format cannot
 * honour becomes a warning of the document.
 */
export interface IngestConfig<M = Metadata> {
  /** Target size of a chunk in characters, 32 to 65536. @default 2048, or `maxChunkSize` where that is less */
  readonly chunkSize?: number | undefined;
  /**
   * Characters repeated from the chunk before, in whole sentences; below `chunkSize`. At most half a chunk is
   * repeated.
   * @default 0
   */
  readonly chunkOverlap?: number | undefined;
  /** No chunk is longer, in characters: 32 to 131072, at least `chunkSize`. @default 2 × chunkSize */
  readonly maxChunkSize?: number | undefined;
  /** A literal string of 1 to 1000 characters that always ends a chunk and is left out of it. @default none */
  readonly delimiter?: string | undefined;
  /**
   * Carried by every document and chunk, for filters and hits: at most 100 keys, 5 levels and 64 KiB as JSON. A batch
   * item's metadata is merged over the job's, key by key. The keys `documentId`, `namespaceId`, `tenantId`,
   * `sequence_number` and `page_number` are refused: the engine sets them.
   * @default none
   */
  readonly metadata?: M | undefined;
  /** Leaves images out: what the document says of them, and captions by a language model (`useLlm`). @default false */
  readonly disableImageExtraction?: boolean | undefined;
  /**
   * Has no image described by a language model (`useLlm`). In `.docx`, `.pptx` and `.xlsx` files the author's
   * descriptions are left out too.
   * @default false
   */
  readonly disableImageCaptions?: boolean | undefined;
  /**
   * Whether the data of charts in office documents becomes tables. Where it does not, a chart's title is kept.
   * @default true in `.docx` and `.pptx`; false in spreadsheets, whose cells have the data already, and in
   * OpenDocument files
   */
  readonly chartUnderstanding?: boolean | undefined;
  /** Keeps the headers that repeat at the top of pages, in formats that have them. @default false */
  readonly keepPageheaderInOutput?: boolean | undefined;
  /**
   * Keeps the footers that repeat at the bottom of pages, page numbers among them, in formats that have them.
   * @default false
   */
  readonly keepPagefooterInOutput?: boolean | undefined;
  /**
   * Runs text recognition (OCR) on every page of a PDF, also where the page has text of its own. Needs the optional
   * OCR packages.
   * @default false: only on pages whose text is missing, unreadable, or only in the margins of a scan
   */
  readonly forceOcr?: boolean | undefined;
  /**
   * Leaves formulas out of the captions that a language model writes (`useLlm`).
   * @default false: they are written as LaTeX
   */
  readonly disableOcrMath?: boolean | undefined;
  /**
   * Has the knowledge base's `languageModel` describe images and repair tables of PDFs and images. Costs calls of that
   * model. Where none is configured, the document gets a warning.
   * @default false
   */
  readonly useLlm?: boolean | undefined;
  /**
   * BCP 47 language of the text, as in `en` or `pt-BR`: for text recognition, for keyword stemming, and for captions
   * by a language model.
   * @default recognised from the text for stemming, English for text recognition, the document's own for captions
   */
  readonly languageCode?: string | undefined;
  /**
   * How much effort text recognition (OCR) takes. Pages of PDFs are drawn at 150, 200 or 300 dpi. `fast` reads scanned
   * pages of a PDF only with `forceOcr`, and reads nothing a second time.
   * @default "balanced"
   */
  readonly mode?: "fast" | "balanced" | "accurate" | undefined;
}

export interface TextPayload {
  readonly type: "TEXT";
  readonly text: string;
  readonly fileName?: string | undefined;
}
export interface FilePayload {
  readonly type: "FILE";
  readonly fileUrl: string;
  readonly fileName?: string | undefined;
}
export interface ManagedFilePayload {
  readonly type: "MANAGED_FILE";
  readonly key: string;
  readonly fileName?: string | undefined;
}
export interface CrawlPayload {
  readonly type: "CRAWL";
  readonly url: string;
  readonly maxDepth?: number | undefined;
  readonly limit?: number | undefined;
  readonly includePaths?: readonly string[] | undefined;
  readonly excludePaths?: readonly string[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
export interface YoutubePayload {
  readonly type: "YOUTUBE";
  readonly urls: readonly string[];
  readonly transcriptLanguages?: readonly string[] | undefined;
  readonly includeMetadata?: boolean | undefined;
}
export type BatchItem<M = Metadata> = (TextPayload | FilePayload | ManagedFilePayload) & {
  /** Merged over the job's config, its metadata key by key. */
  readonly config?: IngestConfig<M> | undefined;
};
export interface BatchPayload<M = Metadata> {
  readonly type: "BATCH";
  readonly items: readonly BatchItem<M>[];
}

/** What a job ingests. */
export type IngestPayload<M = Metadata> =
  | TextPayload
  | FilePayload
  | ManagedFilePayload
  | CrawlPayload
  | YoutubePayload
  | BatchPayload<M>;

/** How far a job has come. Chunks and pages count published documents; `embedded` counts vectors that were computed or reused. */
export interface IngestCounts {
  readonly documents: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly pages: number;
  readonly chunks: number;
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
      /** Seconds; null where the site does not say. */
      readonly duration?: number | null;
    };

/** What the user gave: one text, file, page or video. */
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
  /** What could not be honoured or read, in words; empty when all went as asked. */
  readonly warnings: readonly string[];
  readonly totalChunks: number;
  /** Counted by the embedding model's own tokenizer. */
  readonly totalTokens: number;
  readonly totalCharacters: number;
  /** 1 where the format has no pages. */
  readonly totalPages: number;
}

/** A place on a page. */
export interface PageBox {
  /** From 1. */
  readonly page: number;
  /** Left, top, right, bottom in points from the page's upper left corner. */
  readonly bbox: readonly [number, number, number, number];
}

/** A range in a document's text, in UTF-16 units; `end` is the first beyond it. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A stored unit of a document. */
export interface Chunk<M = Metadata> {
  /** `<documentId>#<sequence number>`. */
  readonly id: string;
  readonly documentId: string;
  readonly text: string;
  /** The caller's keys and the engine's. */
  readonly metadata: M & EngineMetadata;
  /** Where it stands in the document's text, as `documents.text` gives it. */
  readonly range: TextRange;
  /** The first and the last page that its text stands on, from 1; absent where the format has no pages. */
  readonly pages?: readonly [first: number, last: number];
  /**
   * Where it stands on the pages of the file: the boxes of the blocks that it is made of, a cut block's own included, but none on a page that
   * the chunk has nothing of. Beyond 64 there is one for each page. Absent where the format has no such places.
   */
  readonly boxes?: readonly PageBox[];
}

/** One page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
  readonly hasMore: boolean;
}

/** Where chunks, vectors and term statistics are kept apart: a namespace, or one tenant of it. */
export interface Scope {
  readonly organizationId: string;
  readonly namespaceId: string;
  /** Null is the namespace's default partition. */
  readonly tenantId: string | null;
}
