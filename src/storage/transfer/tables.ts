/** A table whose rows are the same in every engine. */
export interface TransferTable {
  readonly name: string;
  /** The columns of the primary key, or of a unique index. */
  readonly key: readonly string[];
  /** All columns of which both engines have the same values. */
  readonly columns: readonly string[];
  /** Columns that are copied, but may differ: they are encrypted anew. */
  readonly replaced?: readonly string[];
  /** Whether the first column of the key numbers the rows, and continues after the highest number ever given. */
  readonly isNumbered?: true;
  /** The columns whose values can be large, and decide how many rows are read at once. */
  readonly large?: readonly string[];
}

/**
 * The tables that a transfer copies, in an order in which each row comes after those that it refers to. A test compares
 * them with the tables of both engines.
 */
export const TRANSFER_TABLES: readonly TransferTable[] = [
  table("organizations", "seq", "id name plan served created_at max_documents max_bytes max_tokens", {
    isNumbered: true,
  }),
  table(
    "namespaces",
    "seq",
    "id organization_id name slug slug_key embedding_config vector_store_config created_at deleted_at vector_set " +
      "last_vector_set abandons_stores",
    { isNumbered: true },
  ),
  table("sealed_values", "namespace_id owner field", "", { replaced: ["key_id", "sealed"] }),
  table("scopes", "id", "namespace_id tenant_id vector_set", { isNumbered: true }),
  table(
    "reembeddings",
    "namespace_id",
    "vector_set embedding_config state wants_switch chunks_per_second after_scope after_chunk written error started_at " +
      "completed_at vector_store_config in_store used_in_store same_model sent " +
      "abandons_store",
  ),
  table(
    "ingest_jobs",
    "seq",
    "id namespace_id tenant_id external_id name status error config documents_total documents_completed " +
      "documents_failed pages chunks embedded created_at queued_at pre_processing_at processing_at completed_at " +
      "failed_at documents_known round",
    { isNumbered: true },
  ),
  table("ingest_job_payloads", "ingest_job_seq", "payload source_paths dedupe hash", {
    large: ["payload", "source_paths"],
  }),
  table(
    "documents",
    "seq",
    "id ingest_job_id namespace_id tenant_id scope_id item name status error source_key config file_size mime_type " +
      "warnings generation building last_generation total_chunks total_tokens total_characters total_pages created_at " +
      "queued_at pre_processing_at processing_at completed_at failed_at name_given found_key awaits_source " +
      "content_hash source_path allow partial_generation",
    { isNumbered: true, large: ["config", "warnings"] },
  ),
  table("document_sources", "document_seq", "source", { large: ["source"] }),
  table("document_texts", "document_seq generation start_offset", "end_offset text page_starts hash", {
    large: ["text", "page_starts"],
  }),
  table("unwanted_documents", "ingest_job_id found_key", ""),
  table("fetched_sources", "document_seq", "url mime_type file_name etag last_modified content_hash fetched_at bytes", {
    large: ["bytes"],
  }),
  table("origins", "document_seq", "etag last_modified content_hash made_with fetched_at"),
  table("synced_files", "namespace_id tenant root path", "ingest_job_id item stamp sha256 config root_inode"),
  table("unpublished_vectors", "document_id generation", "namespace_id tenant_id chunks vector_set second_set"),
  table(
    "crawl_pages",
    "seq",
    "ingest_job_id key path url round place depth redirects state reason target stands_alone attempts content_hash links",
    { isNumbered: true, large: ["links"] },
  ),
  table(
    "tasks",
    "seq",
    "organization_id kind subject state run_at attempt owner lease_until fence last_error delay_ms",
    {
      isNumbered: true,
    },
  ),
  table("events", "seq", "ingest_job_id data hash", { isNumbered: true, large: ["data"] }),
  table(
    "webhooks",
    "seq",
    "id organization_id url description event_types created_at failing_since disabled_at disabled_reason",
    { isNumbered: true },
  ),
  table("webhook_secrets", "webhook_id field", "expires_at", { replaced: ["key_id", "sealed"] }),
  table(
    "webhook_deliveries",
    "seq",
    "id webhook_id event_type subject body status attempts due_at delay_ms created_at attempted_at ended_at http_status " +
      "error",
    { isNumbered: true, large: ["body"] },
  ),
  table(
    "uploads",
    "seq",
    "key namespace_id file_name content_type file_size sha256 state receiving_until created_at expires_at",
    { isNumbered: true },
  ),
  table("hosting", "namespace_id", "slug settings created_at updated_at", { large: ["settings"] }),
  table("api_keys", "seq", "id organization_id name scope digest last_four created_at last_used_at principals", {
    isNumbered: true,
  }),
  table("feedback", "seq", "id namespace_id tenant_id question answer rating comment chunk_ids created_at", {
    isNumbered: true,
    large: ["answer"],
  }),
  table("clicks", "seq", "id namespace_id tenant_id question chunk_id created_at", { isNumbered: true }),
  table(
    "golden_questions",
    "seq",
    "id namespace_id tenant_id key key_digest question answers origin status created_at updated_at",
    { isNumbered: true, large: ["answers"] },
  ),
  table("evaluations", "seq", "id namespace_id tenant_id report scores created_at", {
    isNumbered: true,
    large: ["report", "scores"],
  }),
  table("golden_guards", "namespace_id", "guard created_at"),
  table("unanswered_questions", "seq", "namespace_id tenant_id question asked_by asked_at expires_at", {
    isNumbered: true,
  }),
  table("sampled_queries", "seq", "namespace_id tenant_id query draw expires_at", { isNumbered: true }),
  table(
    "chunks",
    "seq",
    "scope_id document_seq generation ordinal text index_text headings page metadata tokens start_offset end_offset " +
      "boxes embedding_key stemming hash",
    { isNumbered: true, large: ["text", "index_text", "metadata", "boxes"] },
  ),
  table("vectors", "chunk_seq", "scope_id document_seq generation vector hash", { large: ["vector"] }),
  table("odd_vectors", "chunk_seq", "scope_id document_seq generation vector hash", { large: ["vector"] }),
  table("store_vectors", "chunk_seq", "scope_id"),
  table("odd_store_vectors", "chunk_seq", "scope_id"),
  table("embedding_cache", "namespace_id key", "vector hash", { large: ["vector"] }),
];

/** Tables that the copied rows fill by triggers. They are compared afterwards. */
export const COUNTED_TABLES: readonly TransferTable[] = [
  table("crawl_page_counts", "ingest_job_id round state reason", "pages"),
];

/** What else the engines have, and why it isn't copied. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  migrations: "each engine has its own schema",
  processes: "none works on the target yet",
  scope_changes: "indexes of the target are read whole",
  chunk_metadata: "computed from the chunks, in the form of each engine",
  documents_to_analyze: "empty, or the source is refused",
  unhashed_rows: "empty, or the source is refused",
  usage_changes: "counted by triggers from the documents",
  call_counts: "counts of the last minutes",
  crawled_sites: "the pace of the last requests",
  crawl_requests: "requests that run or wait",
  master_keys: "each process records the keys that it has",
  keyword_rebuilds: "a new table has the words of the chunks alone",
  passage_signatures: "computed from the chunks by the next report on the corpus",
  near_duplicates: "found by the next report on the corpus",
  unfindable_passages: "found by the next report on the corpus",
  keyword_parts: "computed from the chunks",
  search_blocks: "made of other tables by maintenance",
  block_documents: "made of other tables by maintenance",
  vector_files: "made of the vectors by maintenance",
  vector_file_documents: "made of the vectors by maintenance",
};

/** The names of all tables, of which each engine has most. */
export const TABLE_NAMES: readonly string[] = [
  ...[...TRANSFER_TABLES, ...COUNTED_TABLES].map(({ name }) => name),
  ...Object.keys(OTHER_TABLES),
];

/** Columns of copied tables that the search index of each engine keeps itself. */
export const INDEX_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  scopes: ["epoch", "chunks", "keyword_table", "keyword_version", "filed_epoch", "unfiled_bytes"],
};

function table(
  name: string,
  key: string,
  others: string,
  options: Pick<TransferTable, "replaced" | "isNumbered" | "large"> = {},
): TransferTable {
  const keyColumns = key.split(" ");
  const columns = others === "" ? keyColumns : [...keyColumns, ...others.split(" ")];
  return { name, key: keyColumns, columns, ...options };
}
