import type { Quota, Status, Usage } from "../../types.js";
import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { IndexedChunks, Publication } from "../search-index.js";
import type { Dialect, Tx } from "../tx.js";
import { vectorKeyTable } from "../vector-sets.js";
import { abandonGeneration } from "./abandon-generation.js";
import { type NewTextPart, writeTextParts } from "./chunks.js";
import { allowSql } from "./document-access.js";
import { failDocument, failLocked } from "./fail-document.js";
import { addCompleted, type CountColumns } from "./ingest-counts.js";
import { type Lease, requireLease, requireLeases } from "./lease.js";
import { type LockedDocument, lockDocuments } from "./locked-documents.js";
import { clearPendingVectors } from "./pending-vectors.js";
import { lockQuota, quotaError } from "./quota.js";
import { type SourceVersion, setSourceVersion } from "./source-versions.js";
import { statusesBefore } from "./status-table.js";
import { recordStatuses, setStatuses } from "./statuses.js";
import { enqueueAll, recordProgress } from "./tasks.js";
import { readUsage } from "./usage.js";

/** A document to ingest. */
export interface RunnableDocument {
  readonly seq: number;
  readonly id: string;
  /** The position of the document in its job, from 0. */
  readonly item: number;
  readonly scopeId: number;
  readonly tenantId: string | null;
  readonly name: string | null;
  /** 1 if the caller has set the name, 0 if a better one may replace it. */
  readonly nameGiven: number;
  readonly status: Status;
  /** As JSON. */
  readonly source: string;
  /** As JSON. */
  readonly config: string;
  readonly mimeType: string;
  /** SHA-256 of the bytes of a TEXT source, in hex; of an earlier version of another source. `null` if unknown. */
  readonly contentHash: string | null;
  /** The published generation; 0 for none. */
  readonly generation: number;
}

/**
 * Lists the documents of a job that are ready to be ingested, in order. With `resume`, first requeues the documents
 * that an earlier worker had started.
 */
export function* listRunnableDocuments(
  tx: Tx,
  job: { lease: Lease; jobId: string; resume: boolean; now: number },
): Operation<readonly RunnableDocument[]> {
  yield* requireLease(tx, job.lease);
  const interrupted = !job.resume
    ? []
    : yield* tx.all<{ seq: number }>(
        "SELECT seq FROM documents WHERE ingest_job_id = ? AND status IN ('PRE_PROCESSING', 'PROCESSING')",
        job.jobId,
      );
  const documents = yield* lockDocuments(
    tx,
    interrupted.map(({ seq }) => seq),
  );
  const queued = { status: "QUEUED", error: null, now: job.now } as const;
  yield* setStatuses(
    tx,
    [...documents.values()].map((document) => ({ document, ...queued })),
  );
  return yield* tx.all<RunnableDocument>(
    `SELECT seq, id, item, scope_id AS "scopeId", tenant_id AS "tenantId", name, name_given AS "nameGiven", status,
       source, config, mime_type AS "mimeType", content_hash AS "contentHash", generation
     FROM documents JOIN document_sources ON document_seq = seq
     WHERE ingest_job_id = ? AND status IN ('QUEUED', 'QUEUED_FOR_RESYNC') AND awaits_source = 0 ORDER BY item`,
    job.jobId,
  );
}

/** A change of the status of a document. */
export interface DocumentMove {
  readonly lease: Lease;
  readonly seq: number;
  readonly status: Status;
  readonly error?: string | null;
  readonly now: number;
}

/** Changes the status of a document. Returns false if the document is gone or the transition is not allowed. */
export function* moveDocument(tx: Tx, change: DocumentMove): Operation<boolean> {
  return (yield* moveDocuments(tx, [change]))[0]!;
}

/** Changes the statuses of different documents like {@link moveDocument}. */
export function* moveDocuments(tx: Tx, changes: readonly DocumentMove[]): Operation<readonly boolean[]> {
  yield* requireLeases(tx, changes);
  const documents = yield* lockDocuments(
    tx,
    changes.map(({ seq }) => seq),
  );
  const found = changes.filter(({ seq }) => documents.has(seq));
  const made = yield* setStatuses(
    tx,
    found.map(({ seq, status, error = null, now }) => ({ document: documents.get(seq)!, status, error, now })),
  );
  return changes.map((change) => made[found.indexOf(change)] ?? false);
}

/** A document for whose new chunks a generation is started. */
export interface GenerationStart {
  readonly lease: Lease;
  readonly seq: number;
  readonly now: number;
}

/**
 * Starts a generation for a document's new chunks, and queues the removal of an interrupted one. Returns the number of
 * the new generation; `null` if the document has been deleted or cancelled.
 */
export function* openGeneration(tx: Tx, start: GenerationStart): Operation<number | null> {
  return (yield* openGenerations(tx, [start]))[0]!;
}

const OPEN_GENERATION: RowStatement = {
  columns: { seq: "bigint", generation: "bigint", now: "bigint" },
  sql: `UPDATE documents SET status = 'PROCESSING', error = NULL, processing_at = $now, building = $generation,
    last_generation = $generation $from WHERE seq = $seq`,
};

/** Starts generations of different documents like {@link openGeneration}. */
export function* openGenerations(tx: Tx, starts: readonly GenerationStart[]): Operation<readonly (number | null)[]> {
  yield* requireLeases(tx, starts);
  const documents = yield* lockDocuments(
    tx,
    starts.map(({ seq }) => seq),
  );
  const before = statusesBefore("PROCESSING");
  const opened = starts.flatMap(({ seq, now }) => {
    const document = documents.get(seq);
    return document && before.includes(document.status)
      ? { document, generation: document.last_generation + 1, now }
      : [];
  });
  for (const { document, now } of opened) if (document.building > 0) yield* abandonGeneration(tx, document.seq, now);
  yield* tx.execRows(
    OPEN_GENERATION,
    opened.map(({ document, generation, now }) => [document.seq, generation, now]),
  );
  yield* recordStatuses(
    tx,
    opened.map(({ document, now }) => ({ document, status: "PROCESSING", error: null, now })),
  );
  const generations = new Map(opened.map(({ document, generation }) => [document.seq, generation]));
  return starts.map(({ seq }) => generations.get(seq) ?? null);
}

/** A generation to publish. `chunks`, `tokens`, `characters` and `pages` are counts. */
export interface DocumentPublication {
  readonly lease: Lease;
  readonly organizationId: string;
  readonly seq: number;
  readonly generation: number;
  readonly name: string | null;
  readonly mimeType: string;
  readonly fileSize: number;
  /** The set of the generation's vectors. @default any: the search index has none */
  readonly vectorSet?: number;
  /** Whether the vectors are in the vector store of that set. @default false */
  readonly isInStore?: boolean;
  /** SHA-256 of the source's bytes, in hex. */
  readonly contentHash: string;
  /** `null` if the source is not fetched. */
  readonly sourceVersion: SourceVersion | null;
  /** The updated source as JSON; `null` if it is unchanged. */
  readonly source: string | null;
  readonly warnings: readonly string[];
  readonly chunks: number;
  readonly tokens: number;
  readonly characters: number;
  readonly pages: number;
  readonly now: number;
}

/**
 * Publishes a generation, queues the removal of the previous one, and adds the document to its job's counts. Returns
 * false if the generation is no longer being written, and if the document failed because it exceeds its organization's
 * quota.
 */
export function* publishDocument(tx: Tx, publication: DocumentPublication): Operation<boolean> {
  yield* requireLease(tx, publication.lease);
  const quotas = yield* lockQuotas(tx, [publication]);
  const { seq, generation } = publication;
  const document = (yield* lockDocuments(tx, [seq])).get(seq);
  if (!document || !isBuilding(document, generation)) return false;
  const { fitting, withdrawn } = yield* failBeyondQuotas(tx, quotas, [{ document, publication }]);
  if (fitting.length > 0) yield* recordStoredVectors(tx, publication);
  yield* publishLocked(tx, fitting, withdrawn);
  if (fitting.length === 0) return false;
  yield* clearPendingVectors(tx, { documentId: document.id, generation });
  return true;
}

function* recordStoredVectors(tx: Tx, publication: DocumentPublication): Operation<void> {
  const { seq, generation, vectorSet = 0, isInStore = false } = publication;
  if (!isInStore) return;
  yield* tx.exec(
    `INSERT INTO ${vectorKeyTable(vectorSet, true)} (chunk_seq, scope_id)
     SELECT seq, scope_id FROM chunks WHERE document_seq = ? AND generation = ? ON CONFLICT (chunk_seq) DO NOTHING`,
    ...[seq, generation],
  );
}

/**
 * Publishes a generation with the first pages of a document that has no published one, and starts the next generation,
 * for the whole document. The document stays in processing, and nothing is counted or told of it. Returns false like
 * {@link publishDocument}.
 */
export function* publishFirstPages(tx: Tx, publication: DocumentPublication): Operation<boolean> {
  yield* requireLease(tx, publication.lease);
  const quotas = yield* lockQuotas(tx, [publication]);
  const { seq, generation, vectorSet, chunks, tokens, characters, pages } = publication;
  const document = (yield* lockDocuments(tx, [seq])).get(seq);
  if (!document || !isBuilding(document, generation)) return false;
  if (document.generation > 0)
    throw new Error(`${document.id} has a published generation, which is to be replaced whole.`);
  const { fitting } = yield* failBeyondQuotas(tx, quotas, [{ document, publication }]);
  if (fitting.length === 0) return false;
  yield* recordStoredVectors(tx, publication);
  yield* tx.exec(
    `UPDATE documents SET generation = ?, partial_generation = ?, building = ?, last_generation = ?, total_chunks = ?,
       total_tokens = ?, total_characters = ?, total_pages = ?, allow = ${allowSql(tx.dialect)} WHERE seq = ?`,
    ...[generation, generation, generation + 1, generation + 1, chunks, tokens, characters, pages, seq],
  );
  yield* clearPendingVectors(tx, { documentId: document.id, generation });
  yield* recordProgress(tx, publication.lease);
  yield* tx.index.publish([{ scopeId: document.scope_id, documentSeq: seq, generation, vectorSet }]);
  return true;
}

/** All chunks of a document, with their vectors, to be written and published in one transaction. */
export interface WholeDocument {
  readonly content: IndexedChunks & { readonly texts: readonly NewTextPart[] };
  readonly publication: DocumentPublication;
}

/**
 * Writes the chunks of a generation and publishes it like {@link publishDocument}. Returns false, and writes nothing, if
 * the generation is no longer being written, or if the document failed because it exceeds its organization's quota.
 */
export function* storeDocument(tx: Tx, whole: WholeDocument): Operation<boolean> {
  return (yield* storeDocuments(tx, [whole]))[0]!;
}

/** Writes and publishes different documents like {@link storeDocument}. */
export function* storeDocuments(tx: Tx, wholes: readonly WholeDocument[]): Operation<readonly boolean[]> {
  yield* requireLeases(
    tx,
    wholes.map(({ publication }) => publication),
  );
  const quotas = yield* lockQuotas(
    tx,
    wholes.map(({ publication }) => publication),
  );
  const documents = yield* lockDocuments(
    tx,
    wholes.map(({ publication }) => publication.seq),
  );
  const building = wholes.flatMap(({ content, publication }) => {
    const document = documents.get(publication.seq);
    return document && isBuilding(document, publication.generation) ? { document, content, publication } : [];
  });
  const { fitting: stored, withdrawn } = yield* failBeyondQuotas(tx, quotas, building);
  if (stored.length > 0) {
    const contents = stored.map(({ content }) => content);
    yield* tx.index.writeChunks(contents);
    yield* writeTextParts(tx, contents);
  }
  yield* publishLocked(tx, stored, withdrawn);
  const seqs = new Set(stored.map(({ document }) => document.seq));
  return wholes.map(({ publication }) => seqs.has(publication.seq));
}

function isBuilding({ status, building }: LockedDocument, generation: number): boolean {
  return status === "PROCESSING" && building === generation;
}

/** What the organizations of publications may store and what they use, for those with a quota. */
type Quotas = ReadonlyMap<string, { readonly quota: Quota; used: Usage }>;

/** Locks the organizations with a quota. */
function* lockQuotas(tx: Tx, publications: readonly DocumentPublication[]): Operation<Quotas> {
  const quotas = new Map<string, { readonly quota: Quota; used: Usage }>();
  for (const id of new Set(publications.map(({ organizationId }) => organizationId).toSorted())) {
    const quota = yield* lockQuota(tx, id);
    if (quota) quotas.set(id, { quota, used: yield* readUsage(tx, id) });
  }
  return quotas;
}

/**
 * Fails the documents that don't fit into their organization's quota. Returns the others, and what the caller has to
 * publish of those that failed.
 */
function* failBeyondQuotas<Each extends LockedPublication>(
  tx: Tx,
  quotas: Quotas,
  publications: readonly Each[],
): Operation<{ readonly fitting: readonly Each[]; readonly withdrawn: readonly Publication[] }> {
  const fitting: Each[] = [];
  const withdrawn: Publication[] = [];
  for (const each of publications) {
    const { document, publication } = each;
    const place = quotas.get(publication.organizationId);
    const added = {
      documents: 0,
      bytes: publication.fileSize - document.file_size,
      tokens: publication.tokens - document.total_tokens,
    };
    const error = place ? quotaError(publication.organizationId, place.quota, place.used, added) : null;
    if (error) {
      const failed = yield* failLocked(tx, document, { error: error.message, now: publication.now });
      withdrawn.push(...(failed ?? []));
      yield* recordProgress(tx, publication.lease);
    } else fitting.push(each);
    if (place && !error) {
      const { documents, bytes, tokens } = place.used;
      place.used = { documents, bytes: bytes + added.bytes, tokens: tokens + added.tokens };
    }
  }
  return { fitting, withdrawn };
}

interface LockedPublication {
  readonly document: LockedDocument;
  readonly publication: DocumentPublication;
}

const PUBLISH_COLUMNS: RowStatement["columns"] = {
  ...{ seq: "bigint", generation: "bigint", name: "text", mime_type: "text", file_size: "bigint" },
  ...{ content_hash: "text", warnings: "text", chunks: "bigint", tokens: "bigint", characters: "bigint" },
  ...{ pages: "bigint", now: "bigint" },
};

const publishStatements = new WeakMap<Dialect, RowStatement>();

function publishStatement(dialect: Dialect): RowStatement {
  const known = publishStatements.get(dialect);
  const statement = known ?? {
    columns: PUBLISH_COLUMNS,
    sql: `UPDATE documents SET status = 'COMPLETED', error = NULL, completed_at = $now, generation = $generation, building = 0,
        name = $name, mime_type = $mime_type, file_size = $file_size, content_hash = $content_hash, warnings = $warnings,
        total_chunks = $chunks, total_tokens = $tokens, total_characters = $characters, total_pages = $pages,
        allow = ${allowSql(dialect)}
      $from WHERE seq = $seq`,
  };
  if (!known) publishStatements.set(dialect, statement);
  return statement;
}

/** Publishes generations that are being written, and `others` in the search index. */
function* publishLocked(
  tx: Tx,
  publications: readonly LockedPublication[],
  others: readonly Publication[],
): Operation<void> {
  yield* tx.execRows(
    publishStatement(tx.dialect),
    publications.map(({ publication: { warnings, ...values } }) => [
      ...[values.seq, values.generation, values.name, values.mimeType, values.fileSize, values.contentHash],
      ...[JSON.stringify(warnings), values.chunks, values.tokens, values.characters, values.pages, values.now],
    ]),
  );
  yield* countPublished(tx, publications);
  for (const { publication } of publications) {
    const { seq, source, sourceVersion } = publication;
    if (source !== null) yield* tx.exec("UPDATE document_sources SET source = ? WHERE document_seq = ?", source, seq);
    if (sourceVersion) yield* setSourceVersion(tx, seq, sourceVersion);
  }
  const replaced = publications.filter(({ document }) => document.generation > 0);
  yield* enqueueAll(
    tx,
    "purge",
    replaced.map(({ document: { id, generation }, publication }) => ({
      ...publication,
      subject: `${id}.${generation}`,
    })),
  );
  const leases = new Map(publications.map(({ publication: { lease } }) => [lease.taskSeq, lease]));
  for (const lease of leases.values()) yield* recordProgress(tx, lease);
  // Last, since it locks the scopes, in which other processes publish too.
  yield* tx.index.publish([
    ...others,
    ...publications.map(({ document, publication: { seq: documentSeq, generation, vectorSet } }) => {
      return { scopeId: document.scope_id, documentSeq, generation, vectorSet };
    }),
  ]);
}

/** Adds documents to the counts of their jobs, and records their events, each with the counts at its point. */
function* countPublished(tx: Tx, publications: readonly LockedPublication[]): Operation<void> {
  for (const jobId of new Set(publications.map(({ document }) => document.ingest_job_id))) {
    const ofJob = publications.filter(({ document }) => document.ingest_job_id === jobId);
    const added = { documents: 0, pages: 0, chunks: 0 };
    const changes = ofJob.map(({ document, publication: { name, pages, chunks, now } }) => {
      added.documents++;
      added.pages += pages;
      added.chunks += chunks;
      const published = { ...document, ...countsAfter(document, added), name };
      return { document: published, status: "COMPLETED", error: null, now } as const;
    });
    yield* addCompleted(tx, jobId, added);
    yield* recordStatuses(tx, changes);
  }
}

function countsAfter(
  counts: CountColumns,
  added: { readonly documents: number; readonly pages: number; readonly chunks: number },
): Omit<CountColumns, "documents_total" | "documents_failed"> {
  return {
    documents_completed: counts.documents_completed + added.documents,
    pages: counts.pages + added.pages,
    chunks: counts.chunks + added.chunks,
    embedded: counts.embedded + added.chunks,
  };
}

/** Fails a document as {@link failDocument} does, for a worker. */
export function* failRunning(
  tx: Tx,
  { lease, seq, ...failure }: { lease: Lease; seq: number; error: string; now: number },
): Operation<boolean> {
  yield* requireLease(tx, lease);
  if (!(yield* failDocument(tx, seq, failure))) return false;
  yield* recordProgress(tx, lease);
  return true;
}
