import type { Status } from "../../types.js";

// Rows of the database's tables. Times are milliseconds since the epoch; JSON is stored as text.

export interface OrganizationRow {
  seq: number;
  id: string;
  name: string;
  plan: "free" | "pro" | null;
  /** Orders organizations by their last claimed task: the one with the lowest number is served next. */
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
  /** 1 once all its documents have been created; 0 if they are yet to be created or discovered. */
  documents_known: number;
  /** The number of its round: 1 at first, one more with each re-ingest. */
  round: number;
  documents_total: number;
  documents_completed: number;
  documents_failed: number;
  pages: number;
  chunks: number;
  embedded: number;
}

/** In a separate table, since a job's counts change with every document, and SQLite rewrites whole rows. */
export interface IngestJobPayloadRow {
  ingest_job_seq: number;
  payload: string;
  /** A JSON array with the absolute path of each item's local file or null. `null` if no item has one. */
  source_paths: string | null;
  /** 1 if content that the scope already has is not ingested again. */
  dedupe: number;
}

export interface DocumentRow extends PhaseColumns {
  seq: number;
  id: string;
  ingest_job_id: string;
  namespace_id: string;
  tenant_id: string | null;
  scope_id: number;
  /** Its position in the job, from 0. */
  item: number;
  name: string | null;
  /** 1 if the caller has set the name, 0 if a better one may replace it. */
  name_given: number;
  status: Status;
  error: string | null;
  /** The key of a managed file, which marks the upload as used. */
  source_key: string | null;
  /**
   * SHA-256 in hex of the bytes of its published chunks or, once it is queued with other content, of that content.
   * `null` if it is unknown.
   */
  content_hash: string | null;
  /** The absolute path of the local file it was read from; `null` if there is none. */
  source_path: string | null;
  /** The key of a discovered document, such as a page, unique in its job; `null` if the payload lists it. */
  found_key: string | null;
  /** 1 while it waits for the crawl to reach its page again. It is not ingested before that. */
  awaits_source: number;
  config: string;
  file_size: number;
  mime_type: string;
  warnings: string;
  /** The published generation; 0 if there is none. */
  generation: number;
  /** The generation being written; 0 if there is none. */
  building: number;
  /**
   * The highest generation number used so far. Numbers are never reused, so that late writes can't affect a later
   * generation.
   */
  last_generation: number;
  total_chunks: number;
  total_tokens: number;
  total_characters: number;
  total_pages: number;
}

/** In a separate table, since a TEXT source contains the whole text, and SQLite rewrites whole rows. */
export interface DocumentSourceRow {
  document_seq: number;
  source: string;
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

/** The content fetched for a document, until it is published. */
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

export type TaskKind = "ingest" | "delete_document" | "delete_job" | "delete_namespace" | "purge" | "remove_vectors";

export interface UploadRow {
  seq: number;
  key: string;
  namespace_id: string;
  file_name: string;
  content_type: string;
  /** Bytes: as declared while pending, as counted once stored. */
  file_size: number;
  sha256: string | null;
  /** `receiving`: claimed by one client, so that no two write the same key. */
  state: "pending" | "receiving" | "stored";
  /** When a client's claim expires, so that a client that dies doesn't block others for long. */
  receiving_until: number | null;
  created_at: number;
  /** When it is removed, unless a document or job uses it; 0 if it is being removed. */
  expires_at: number;
}

export interface HostingRow {
  namespace_id: string;
  slug: string;
  settings: string;
  created_at: number;
  updated_at: number;
}

export interface FeedbackRow {
  seq: number;
  id: string;
  namespace_id: string;
  tenant_id: string | null;
  question: string;
  answer: string;
  rating: "up" | "down";
  comment: string | null;
  /** As a JSON array. */
  chunk_ids: string;
  created_at: number;
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
