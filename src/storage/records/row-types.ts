import type { Status } from "../../types.js";

// Rows of the database's tables. Times are milliseconds since the epoch; JSON is stored as text.

export interface OrganizationRow {
  seq: number;
  id: string;
  name: string;
  plan: "free" | "pro" | null;
  /** The number of the last task claimed for the organization. Workers claim next where it is lowest. */
  served: number;
  created_at: number;
  /** The quota; `null` for no limit. */
  max_documents: number | null;
  max_bytes: number | null;
  max_tokens: number | null;
}

export interface NamespaceRow {
  seq: number;
  id: string;
  organization_id: string;
  name: string;
  slug: string;
  /** The slug in lower case, unique in the organization among live namespaces. */
  slug_key: string;
  /** As JSON, with masks instead of secrets, like `vector_store_config`. */
  embedding_config: string;
  vector_store_config: string;
  created_at: number;
  /** When the namespace was hidden. Its rows are removed later. */
  deleted_at: number | null;
  /** The set of vectors that searches use. */
  vector_set: number;
  /** The highest number that was given to a set of vectors. */
  last_vector_set: number;
  /** 1 if the removal of the namespace leaves in vector stores what they have of it, else 0. */
  abandons_stores: number;
}

/** The second set of vectors of a namespace whose embedding model is changed. */
export interface ReembeddingRow {
  namespace_id: string;
  /** The set that searches don't use. */
  vector_set: number;
  /** The configurations of that set, as JSON with masks instead of secrets. */
  embedding_config: string;
  vector_store_config: string;
  /** 1 if that set is in a vector store, 0 if it is in the database. */
  in_store: number;
  /** The same of the set that searches use. */
  used_in_store: number;
  /** 1 if the discard leaves in its store what that has of the set, else 0. */
  abandons_store: number;
  /** 1 if the model stays the same, so that vectors may be copied, else 0. */
  same_model: number;
  /** The generations whose vectors the task is sending to a store, as JSON; `null` for none. */
  sent: string | null;
  /** `switched` is public as `cut_over`. Processes of earlier versions read it, and the next column, so neither is renamed. */
  state: "running" | "ready" | "switched" | "discarding";
  /** 1 if searches are to use the set as soon as it is complete, else 0. */
  wants_switch: number;
  chunks_per_second: number | null;
  /** Up to where all chunks have been looked at: the scope, and the chunk in it. */
  after_scope: number;
  after_chunk: number;
  /** The number of vectors written. */
  written: number;
  /** The error that stopped it; `null` if it isn't stopped. */
  error: string | null;
  started_at: number;
  completed_at: number | null;
}

/** When a job or document last entered each phase; `null` if its current run has not. */
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
  /** 1 once all the job's documents have been created; 0 while some are still to be created or discovered. */
  documents_known: number;
  /** How often the job was queued: 1 at first, and one more with each re-ingest. */
  round: number;
  documents_total: number;
  documents_completed: number;
  documents_failed: number;
  /** The number of pages of completed documents. */
  pages: number;
  /** The number of chunks of completed documents. */
  chunks: number;
  /** The number of chunks of completed documents that have vectors. */
  embedded: number;
}

/** A job's input. Separate from the job, whose counts change often, since SQLite rewrites whole rows. */
export interface IngestJobPayloadRow {
  ingest_job_seq: number;
  /** As JSON, with masks instead of secrets. */
  payload: string;
  /** A JSON array with the absolute path of each item's local file, or null; `null` if no item has a local file. */
  source_paths: string | null;
  /** 1 if items whose content the scope already has are skipped. */
  dedupe: number;
  /** The hash of the payload and the paths; `null` for a row of an earlier version until maintenance has computed it. */
  hash: number | null;
}

export interface DocumentRow extends PhaseColumns {
  seq: number;
  id: string;
  ingest_job_id: string;
  namespace_id: string;
  tenant_id: string | null;
  scope_id: number;
  /** The position of the document in its job, from 0. */
  item: number;
  name: string | null;
  /** 1 if the caller has set the name, 0 if a better one may replace it. */
  name_given: number;
  status: Status;
  error: string | null;
  /** The key of the upload that the document uses; `null` if its source is no managed file. */
  source_key: string | null;
  /**
   * SHA-256, in hex, of the bytes of the source, not of chunks: of the published generation's source or, once the
   * document is queued with new content, of the new source. `null` if unknown.
   */
  content_hash: string | null;
  /** The absolute path of the local file that the content was read from; `null` if there is none. */
  source_path: string | null;
  /** The key under which the job discovered the document, unique in the job; `null` if the payload lists it. */
  found_key: string | null;
  /** 1 while the document waits for the crawl to reach its page again, and so must not be ingested. */
  awaits_source: number;
  config: string;
  /**
   * A JSON array of the principals that may see the document; `null` for all. While the document is queued with new
   * content, those that may see both the published and the new one.
   */
  allow: string | null;
  file_size: number;
  mime_type: string;
  /** A JSON array of messages. */
  warnings: string;
  /** The number of the published generation, which searches see; 0 for none. */
  generation: number;
  /** The number of the generation that is being written, not a flag; 0 for none. */
  building: number;
  /**
   * The highest generation number used so far. Numbers are never reused, so that a late write can't affect another
   * generation.
   */
  last_generation: number;
  /**
   * The generation that has only the first pages of a document that is ingested for the first time; 0 for none. Another
   * published generation is whole.
   */
  partial_generation: number;
  total_chunks: number;
  total_tokens: number;
  total_characters: number;
  total_pages: number;
}

/** A document's source. Separate, since a TEXT source contains the whole text, and SQLite rewrites whole rows. */
export interface DocumentSourceRow {
  document_seq: number;
  /** A `DocumentSource`, as JSON. */
  source: string;
}

/**
 * The state of a crawled URL.
 *
 * - `pending`: not yet fetched.
 * - `document`: its document is new or has changed.
 * - `unchanged`: its document is up to date.
 * - `duplicate`: another page of the crawl has the same content.
 * - `canonical`: it declares another page as canonical, which is indexed in its place.
 * - `moved`: it redirects to another page, temporarily if the reason is `for_now`.
 * - `left_out`: its turn came, but it gets no document, for a reason such as `robots` or `not_found`.
 * - `failed`: it could not be fetched.
 * - `skipped`: not queued as a page when it was discovered; the reason says why, such as `sitemap`.
 */
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

/** The content fetched for a document, kept until the document is published. */
export interface FetchedSourceRow {
  document_seq: number;
  url: string;
  mime_type: string;
  file_name: string | null;
  etag: string | null;
  last_modified: string | null;
  /** SHA-256 of `bytes`, in hex. */
  content_hash: string;
  fetched_at: number;
  bytes: Uint8Array;
}

/**
 * What a task does. `purge` removes the chunks and text of one replaced or abandoned generation. `remove_vectors`
 * removes the vectors of an unpublished generation from an external store. `deliver_webhooks` sends the events of one
 * webhook.
 */
export type TaskKind =
  | "ingest"
  | "delete_document"
  | "delete_job"
  | "delete_namespace"
  | "purge"
  | "remove_vectors"
  | "reembed"
  | "deliver_webhooks";

export interface UploadRow {
  seq: number;
  key: string;
  namespace_id: string;
  file_name: string;
  content_type: string;
  /** In bytes: as declared by the client until the upload is stored, then as counted. */
  file_size: number;
  /** SHA-256 of the uploaded bytes, in hex; `null` if unknown. */
  sha256: string | null;
  /** `receiving`: claimed by one client, so that no two clients write the same key. */
  state: "pending" | "receiving" | "stored";
  /** When the claim of a receiving client expires, so that a dead client doesn't block others for long. */
  receiving_until: number | null;
  created_at: number;
  /** When the upload is removed, unless a document or job uses it; 0 if it is being removed. */
  expires_at: number;
}

export interface HostingRow {
  namespace_id: string;
  slug: string;
  /** As JSON. */
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
  /** A JSON array. */
  chunk_ids: string;
  created_at: number;
}

export interface GoldenQuestionRow {
  seq: number;
  id: string;
  namespace_id: string;
  tenant_id: string | null;
  /** What identifies the question to its owner, by default its text. Unique among those of a namespace and tenant. */
  key: string;
  /** The SHA-256 of the key, which may be too long for an index. */
  key_digest: string;
  question: string;
  /** A JSON array. */
  answers: string;
  origin: "manual" | "feedback" | "click" | "generated";
  status: "active" | "draft" | "disabled";
  created_at: number;
  /** When the question, its answers or its status changed last. */
  updated_at: number;
}

export interface ClickRow {
  seq: number;
  id: string;
  namespace_id: string;
  tenant_id: string | null;
  question: string;
  /** The id of a chunk as callers see it, which begins with that of its document. */
  chunk_id: string;
  created_at: number;
}

export interface EvaluationRow {
  seq: number;
  id: string;
  namespace_id: string;
  tenant_id: string | null;
  /** As JSON: everything but the scores of single questions. */
  report: string;
  /** As JSON. */
  scores: string;
  created_at: number;
}

export interface GoldenGuardRow {
  namespace_id: string;
  /** As JSON. */
  guard: string;
  created_at: number;
}

export interface ApiKeyRow {
  seq: number;
  id: string;
  organization_id: string;
  name: string;
  scope: "read" | "write" | "admin";
  /** The digest of the key, which itself isn't stored. */
  digest: string;
  /** A JSON array of the principals that the key is bound to; `null` if it sees all documents. */
  principals: string | null;
  /** The last four characters of the key. */
  last_four: string;
  created_at: number;
  last_used_at: number | null;
}

export interface WebhookRow {
  seq: number;
  id: string;
  organization_id: string;
  url: string;
  description: string | null;
  /** A JSON array; empty for all types. */
  event_types: string;
  created_at: number;
  /** When the first attempt since the last success failed. */
  failing_since: number | null;
  /** Nothing is sent, and no events are recorded, from then on. */
  disabled_at: number | null;
  /** `null` if a caller has disabled it. */
  disabled_reason: string | null;
}

export interface WebhookDeliveryRow {
  seq: number;
  /** The id of the message, the same in every attempt. */
  id: string;
  webhook_id: string;
  event_type: string;
  /** The id of the document or job, whose deliveries are sent in order. */
  subject: string;
  /** The body of the request, byte for byte the same in every attempt. */
  body: string;
  /** `DEAD`: given up after the last attempt. */
  status: "PENDING" | "DELIVERED" | "DEAD";
  attempts: number;
  /** `null` while an earlier delivery of the subject is pending, and after the end; 0 if it can be sent at once. */
  due_at: number | null;
  /** How long the last wait was to be, in milliseconds. */
  delay_ms: number;
  created_at: number;
  attempted_at: number | null;
  ended_at: number | null;
  /** Of the last response; `null` without one. */
  http_status: number | null;
  /** Of the last attempt, if it failed. */
  error: string | null;
}
