import type { Status } from "../../types.js";

// Rows as they stand in the database. Times are milliseconds since the epoch; JSON is text.

export interface OrganizationRow {
  seq: number;
  id: string;
  name: string;
  plan: "free" | "pro" | null;
  /** Sequence of the last task claimed for it: the queue serves the longest unserved first. */
  served: number;
  created_at: number;
}

export interface NamespaceRow {
  seq: number;
  id: string;
  organization_id: string;
  name: string;
  slug: string;
  /** The slug in lower case, unique in the organization among live namespaces. */
  slug_key: string;
  embedding_config: string;
  vector_store_config: string;
  created_at: number;
  deleted_at: number | null;
}

/** Secrets of a namespace's configurations and its jobs' payloads, which themselves hold masks only. */
export interface SealedValueRow {
  namespace_id: string;
  /** The namespace itself, or an ingest job of it. */
  owner: string;
  /** As in `embeddingConfig.apiKey` or `items[3].fileUrl`. */
  field: string;
  /** Names the master key. */
  key_id: string;
  sealed: string;
}

export interface ScopeRow {
  id: number;
  namespace_id: string;
  tenant_id: string | null;
  /** Grows by one with every change that a search could see. */
  epoch: number;
  /** Stored chunks, unpublished generations included. */
  chunks: number;
  /** 1 once the scope has a keyword table of its own. */
  keyword_table: number;
}

/** Which document an epoch of a scope began with. */
export interface ScopeChangeRow {
  scope_id: number;
  epoch: number;
  document_seq: number;
}

export interface PhaseColumns {
  created_at: number;
  queued_at: number | null;
  pre_processing_at: number | null;
  processing_at: number | null;
  completed_at: number | null;
  failed_at: number | null;
}

export interface IngestJobRow extends PhaseColumns {
  seq: number;
  id: string;
  namespace_id: string;
  tenant_id: string | null;
  external_id: string | null;
  name: string | null;
  status: Status;
  error: string | null;
  config: string;
  /** 1 once all its documents have been made; 0 if they are still to be made, or found. */
  documents_known: number;
  /** How often it has been queued: 1 at first, one more with each re-ingest. */
  round: number;
  documents_total: number;
  documents_completed: number;
  documents_failed: number;
  pages: number;
  chunks: number;
  embedded: number;
}

/** Apart from its job, whose counts change with every document: SQLite writes a changed row whole. */
export interface IngestJobPayloadRow {
  ingest_job_seq: number;
  payload: string;
  /** JSON: of each item the absolute path of the local file that it was read from, or null. `null` if no item was. */
  source_paths: string | null;
  /** 1 where content that the scope has already is not ingested again. */
  dedupe: number;
}

export interface DocumentRow extends PhaseColumns {
  seq: number;
  id: string;
  ingest_job_id: string;
  namespace_id: string;
  tenant_id: string | null;
  scope_id: number;
  /** Place among the job's documents, from 0. */
  item: number;
  name: string | null;
  /** 1 where the caller has given the name, 0 if a better one may be found. */
  name_given: number;
  status: Status;
  error: string | null;
  /** The key of a managed file, so that an upload knows who uses it. */
  source_key: string | null;
  /**
   * SHA-256 of its bytes, in hex: of those that its published chunks were made from or, once it is queued with others,
   * of those. `null` if that is not known yet.
   */
  content_hash: string | null;
  /** Absolute path of the local file that it was read from; `null` if it was none. */
  source_path: string | null;
  /** By which its job finds it again, as the key of a crawl's page; `null` if the job's payload names it. */
  found_key: string | null;
  /** 1 while it waits for its job to come to its source again: it is not to be ingested before. */
  awaits_source: number;
  config: string;
  file_size: number;
  mime_type: string;
  warnings: string;
  /** The generation that searches see; 0 is none. */
  generation: number;
  /** The generation that is being written; 0 is none. */
  building: number;
  /**
   * The highest number ever given to a generation: none is given twice, so that a late writer meets nothing of a later
   * one.
   */
  last_generation: number;
  total_chunks: number;
  total_tokens: number;
  total_characters: number;
  total_pages: number;
}

/** Apart from its document for the same reason: a TEXT source holds the whole text. */
export interface DocumentSourceRow {
  document_seq: number;
  source: string;
}

/** What a job found and its owner deleted: it is not made again. */
export interface UnwantedDocumentRow {
  ingest_job_id: string;
  found_key: string;
}

/** An address that a crawl knows. */
export interface CrawlPageRow {
  seq: number;
  ingest_job_id: string;
  key: string;
  /** What stands before the `?` of the key, where it has one. */
  path: string | null;
  url: string;
  /** The last round of its job that found it. */
  round: number;
  /** Its place in the order in which they were found. */
  place: number;
  depth: number;
  redirects: number;
  state: CrawlPageState;
  /** Why it was left out or skipped, or the message of its failure. */
  reason: string | null;
  /** The key of the page that it is the same as, or redirects to. */
  target: string | null;
  stands_alone: number;
  /** Failures that may pass, one after another. */
  attempts: number;
  /** Of what the last fetch brought, where it made a document. */
  content_hash: string | null;
  /** JSON: the addresses that it leads to. */
  links: string | null;
}

export type CrawlPageState =
  | "pending"
  | "document"
  | "unchanged"
  | "duplicate"
  | "canonical"
  | "moved"
  | "left_out"
  | "failed"
  | "skipped";

/** What was fetched for a document, from the fetch until its publication. */
export interface FetchedSourceRow {
  document_seq: number;
  url: string;
  mime_type: string;
  file_name: string | null;
  etag: string | null;
  last_modified: string | null;
  content_hash: string;
  fetched_at: number;
  bytes: Uint8Array;
}

/** What a document's published generation was made from, so that it need not be made again from the same. */
export interface OriginRow {
  document_seq: number;
  etag: string | null;
  last_modified: string | null;
  /** SHA-256 in hex. */
  content_hash: string;
  /** Digest of what else it depends on: config, parsers. */
  made_with: string;
  fetched_at: number;
}

/** A piece of the text of a document's generation, in which the ranges of its chunks count. */
export interface DocumentTextRow {
  document_seq: number;
  generation: number;
  start_offset: number;
  end_offset: number;
  text: string;
  /** JSON: where each page starts in the text. In the first piece alone; `null` if the format has no pages. */
  page_starts: string | null;
}

export interface ChunkRow {
  seq: number;
  scope_id: number;
  document_seq: number;
  generation: number;
  ordinal: number;
  text: string;
  /** What is embedded and indexed; `null` if it equals `text`. */
  index_text: string | null;
  headings: string;
  page: number | null;
  metadata: string;
  tokens: number;
  start_offset: number;
  end_offset: number;
  /**
   * Places on pages, JSON. Of each box its page, left, top, right, bottom, and the start and end of what stands in it
   * in `text`; of each page its number and where in `text` it begins, where there are several. `null` if there are
   * none.
   */
  boxes: string | null;
  embedding_key: Uint8Array | null;
  /** 1 where the keyword index stems its words, 0 if it takes them as they stand. */
  stemmed: number;
}

export interface VectorRow {
  chunk_seq: number;
  scope_id: number;
  document_seq: number;
  generation: number;
  vector: Uint8Array;
}

/** What a scan compares of vectors, derived from them and written with them. */
export interface VectorRecordsRow {
  scope_id: number;
  document_seq: number;
  generation: number;
  /** The first chunk's sequence. */
  part: number;
  dimensions: number;
  /** How many records. */
  count: number;
  /** One after another (scan/record.ts). */
  records: Uint8Array;
}

/** Records of many published documents together, so that a reader that starts has them soon. */
export interface VectorBlockRow {
  seq: number;
  scope_id: number;
  first_document: number;
  last_document: number;
  dimensions: number;
  /** f64 for each record: its document's sequence. */
  documents: Uint8Array;
  /** f64 for each record: its generation. One that is no longer published is dead. */
  generations: Uint8Array;
  records: Uint8Array;
}

/** A file that has the records of some blocks of a scope once more (sqlite/record-file.ts). It may be missing. */
export interface VectorFileRow {
  /** As it stands in the file as well. */
  name: string;
  scope_id: number;
  dimensions: number;
  /** How many it was written with. */
  blocks: number;
}

/** Which blocks a file has; one that is broken up is no longer listed. */
export interface VectorFileBlockRow {
  block_seq: number;
  file: string;
}

export interface ChunkMetadataRow {
  scope_id: number;
  key: string;
  kind: MetadataKind;
  value: string | number;
  chunk_seq: number;
}

/** `s` string, `n` number, `b` boolean, `a` an array's element, `l` the mark of an array, empty or not. */
export type MetadataKind = "s" | "n" | "b" | "a" | "l";

export interface EmbeddingCacheRow {
  namespace_id: string;
  key: Uint8Array;
  vector: Uint8Array;
}

export type TaskKind = "ingest" | "delete_document" | "delete_job" | "delete_namespace" | "purge" | "remove_vectors";

export interface TaskRow {
  seq: number;
  organization_id: string;
  kind: TaskKind;
  /** Id of what the task is about. */
  subject: string;
  state: "ready" | "running";
  run_at: number;
  attempt: number;
  owner: string | null;
  lease_until: number | null;
  /** Grows with every claim; a write of an older claim is refused. */
  fence: number;
  last_error: string | null;
}

/** What a store outside the database may have of a generation that is not published; its task is `remove_vectors`. */
export interface UnpublishedVectorsRow {
  document_id: string;
  generation: number;
  namespace_id: string;
  tenant_id: string | null;
  /** Their ordinals are below it. */
  chunks: number;
}

export interface ProcessRow {
  id: string;
  /** Names the machine's boot, so that a process id is only judged where it means something. */
  host: string;
  pid: number;
  heartbeat_at: number;
}

export interface EventRow {
  seq: number;
  ingest_job_id: string;
  data: string;
}

export interface UploadRow {
  seq: number;
  key: string;
  namespace_id: string;
  file_name: string;
  content_type: string;
  /** Bytes: declared while pending, counted once stored. */
  file_size: number;
  sha256: string | null;
  /** `receiving` is claimed by one sender: two must not write the same key. */
  state: "pending" | "receiving" | "stored";
  /** When a sender's claim lapses: one that was killed keeps nobody out for long. */
  receiving_until: number | null;
  created_at: number;
  /** When it is swept unless a document uses it. */
  expires_at: number;
}

/** A file of a folder that is kept in step, as it was last looked at. */
export interface SyncedFileRow {
  namespace_id: string;
  /** Empty is the default partition. */
  tenant: string;
  /** Names the folder. */
  root: string;
  /** Below the folder, with `/`. */
  path: string;
  /** With `item`, its document. */
  ingest_job_id: string;
  item: number;
  /** What tells without reading it that it is the same; `null` if only its content can. */
  stamp: string | null;
  /** Of the content that its document was given. */
  sha256: string;
  /** Hash of what its document was made with, besides the file. */
  config: string;
  /** Of the folder; null for one that was last seen before this was kept. */
  root_inode: string | null;
}

export interface HostingRow {
  namespace_id: string;
  slug: string;
  settings: string;
  created_at: number;
  updated_at: number;
}

export interface ApiKeyRow {
  seq: number;
  id: string;
  organization_id: string;
  name: string;
  scope: "read" | "write" | "admin";
  digest: string;
  last_four: string;
  created_at: number;
  last_used_at: number | null;
}
