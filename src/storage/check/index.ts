import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import {
  checkChunks,
  checkEvents,
  checkOddVectors,
  checkPayloads,
  checkSources,
  checkTexts,
  checkUnusedVectors,
  checkVectors,
} from "./check-contents.js";
import { checkCache, checkCrawlCounts } from "./check-derived.js";
import { checkDocuments } from "./check-documents.js";
import { checkUsage, repairUsage } from "./check-usage.js";

/** A stored file, and a document that uses it. */
export interface CheckedUpload {
  readonly seq: number;
  readonly key: string;
  readonly fileName: string;
  readonly namespaceId: string;
  /** In bytes. */
  readonly fileSize: number;
  /** In hex; `null` if the client uploaded directly to the blob store and no document was made of the file yet. */
  readonly sha256: string | null;
  /** `null` if no document uses the file. */
  readonly documentId: string | null;
  readonly ingestJobId: string | null;
}

/** Lists the files that uploads have stored. */
function* listUploads(
  tx: Tx,
  { after, limit }: { readonly after: number; readonly limit: number },
): Operation<readonly CheckedUpload[]> {
  return yield* tx.all<CheckedUpload>(
    `SELECT u.seq, u.key, u.file_name AS "fileName", u.namespace_id AS "namespaceId", u.file_size AS "fileSize",
       coalesce(u.sha256, d.content_hash) AS sha256, d.id AS "documentId", d.ingest_job_id AS "ingestJobId"
     FROM uploads u LEFT JOIN documents d ON d.seq = (SELECT min(seq) FROM documents WHERE source_key = u.key)
     WHERE u.seq > ? AND u.state = 'stored' ORDER BY u.seq LIMIT ?`,
    after,
    limit,
  );
}

/** How far each step of a check goes: the highest row numbers. */
export interface CheckTotals {
  readonly documents: number;
  readonly chunks: number;
  readonly uploads: number;
  readonly jobs: number;
  readonly events: number;
}

function* getTotals(tx: Tx): Operation<CheckTotals> {
  return (yield* tx.get<CheckTotals>(
    `SELECT (SELECT coalesce(max(seq), 0) FROM documents) AS documents, (SELECT coalesce(max(seq), 0) FROM chunks) AS chunks,
       (SELECT coalesce(max(seq), 0) FROM uploads) AS uploads, (SELECT coalesce(max(seq), 0) FROM ingest_jobs) AS jobs,
       (SELECT coalesce(max(seq), 0) FROM events) AS events`,
  ))!;
}

/** Lists the scopes, whose indexes the engine compares with their chunks. */
function* listScopes(tx: Tx): Operation<readonly { readonly id: number; readonly namespaceId: string }[]> {
  return yield* tx.all<{ id: number; namespaceId: string }>(
    'SELECT id, namespace_id AS "namespaceId" FROM scopes ORDER BY id',
  );
}

/** The steps of a check that are the same in every database. Those that can repair have a second name for that. */
export const CHECKS = {
  getTotals,
  listScopes,
  listUploads,
  documents: checkDocuments,
  chunks: checkChunks,
  vectors: checkVectors,
  oddVectors: checkOddVectors,
  unusedVectors: checkUnusedVectors,
  repairUnusedVectors: checkUnusedVectors,
  texts: checkTexts,
  sources: checkSources,
  repairSources: checkSources,
  payloads: checkPayloads,
  repairPayloads: checkPayloads,
  events: checkEvents,
  repairEvents: checkEvents,
  cache: checkCache,
  repairCache: checkCache,
  crawlCounts: checkCrawlCounts,
  repairCrawlCounts: checkCrawlCounts,
  usage: checkUsage,
  repairUsage,
};
