import type { Status } from "../../types.js";
import { type HashedTextPart, textPartHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import type { Dialect, Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { isVisibleTo } from "./document-access.js";
import { ownedBy, type RecordOwner } from "./job-queries.js";
import { type Condition, inList, inRange, type RowRange, whereAll } from "./range.js";
import type { DocumentRow, DocumentSourceRow, FetchedSourceRow } from "./row-types.js";
import type { SourceVersion } from "./source-versions.js";

export type DocumentRecord = CamelCase<DocumentRow>;
export type DocumentWithSource = CamelCase<DocumentRow & DocumentSourceRow>;

/** An owner, of whose documents principals see only some. */
export interface DocumentReader extends RecordOwner {
  /** `null` for the owner, who sees all documents. */
  readonly principals: readonly string[] | null;
}

interface DocumentList extends DocumentReader {
  readonly statuses?: readonly Status[] | undefined;
  readonly ingestJobId?: string | undefined;
  /** Restricts the owner's documents to those of one tenant or, if `null`, those without a tenant. */
  readonly partition?: string | null | undefined;
  readonly range: RowRange;
}

const TABLES = "documents JOIN document_sources ON document_seq = seq";

export function* getDocument(
  tx: Tx,
  { documentId, ...reader }: DocumentReader & { readonly documentId: string },
): Operation<DocumentWithSource | undefined> {
  const { sql, parameters } = whereAll([...readableBy(reader, tx.dialect), ["id = ?", documentId]]);
  return camelCase(yield* tx.get<DocumentRow & DocumentSourceRow>(`SELECT * FROM ${TABLES} ${sql}`, ...parameters));
}

/** Returns a document without its source, which may be large. */
export function* getDocumentWithoutSource(
  tx: Tx,
  { documentId, ...reader }: DocumentReader & { readonly documentId: string },
): Operation<DocumentRecord | undefined> {
  const { sql, parameters } = whereAll([...readableBy(reader, tx.dialect), ["id = ?", documentId]]);
  return camelCase(yield* tx.get<DocumentRow>(`SELECT * FROM documents ${sql}`, ...parameters));
}

/** Returns a document of any organization, with the organization's id and the time its namespace was deleted. */
export function* getDocumentForDownload(
  tx: Tx,
  { documentId }: { readonly documentId: string },
): Operation<(DocumentRecord & { readonly organizationId: string; readonly deletedAt: number | null }) | undefined> {
  const row = yield* tx.get<DocumentRow & { organization_id: string; deleted_at: number | null }>(
    `SELECT d.*, n.organization_id, n.deleted_at FROM documents d JOIN namespaces n ON n.id = d.namespace_id
     WHERE d.id = ?`,
    documentId,
  );
  return camelCase(row);
}

export function* listDocuments(tx: Tx, { range, ...list }: DocumentList): Operation<readonly DocumentWithSource[]> {
  const { sql, parameters } = inRange(range, conditionsOf(list, tx.dialect));
  const rows = yield* tx.all<DocumentRow & DocumentSourceRow>(`SELECT * FROM ${TABLES} ${sql}`, ...parameters);
  return rows.map(camelCase);
}

/** Returns the sizes of the sources of the documents that {@link listDocuments} returns for the same list. */
export function* listDocumentSizes(
  tx: Tx,
  { range, ...list }: DocumentList,
): Operation<readonly { readonly bytes: number }[]> {
  const { sql, parameters } = inRange(range, conditionsOf(list, tx.dialect));
  return yield* tx.all<{ bytes: number }>(`SELECT octet_length(source) AS bytes FROM ${TABLES} ${sql}`, ...parameters);
}

function conditionsOf(
  { statuses, ingestJobId, partition, ...reader }: Omit<DocumentList, "range">,
  dialect: Dialect,
): readonly (Condition | null)[] {
  const ofJob = ingestJobId === undefined ? null : (["ingest_job_id = ?", ingestJobId] as const);
  return [...readableBy(reader, dialect), inPartition(partition), inList("status", statuses), ofJob];
}

function readableBy({ principals, ...owner }: DocumentReader, dialect: Dialect): readonly (Condition | null)[] {
  return [...ownedBy(owner), isVisibleTo(dialect, principals)];
}

function inPartition(tenantId: string | null | undefined): Condition | null {
  if (tenantId === undefined) return null;
  return tenantId === null ? ["tenant_id IS NULL"] : ["tenant_id = ?", tenantId];
}

interface GenerationRef {
  readonly documentSeq: number;
  readonly generation: number;
}

/** Columns of a {@link TextPartRow}. */
const TEXT_PART_COLUMNS = `document_seq AS "documentSeq", generation, start_offset AS "start", end_offset AS "end", text,
  page_starts AS "pageStarts", hash`;

type TextPartRow = HashedTextPart & { readonly end: number; readonly hash: number | null };

function isSound(row: TextPartRow): boolean {
  return (row.hash === null || row.hash === textPartHash(row)) && row.end - row.start === row.text.length;
}

/**
 * Returns the offset of each page in a generation's text, `[0]` without pages; `undefined` if the text was removed,
 * `"damaged"` if its first part was changed on the disk.
 */
export function* getPageStarts(
  tx: Tx,
  { documentSeq, generation }: GenerationRef,
): Operation<readonly number[] | undefined | "damaged"> {
  const first = yield* tx.get<TextPartRow>(
    `SELECT ${TEXT_PART_COLUMNS} FROM document_texts WHERE document_seq = ? AND generation = ? AND start_offset = 0`,
    documentSeq,
    generation,
  );
  if (!first) return undefined;
  return isSound(first) ? JSON.parse(first.pageStarts ?? "[0]") : "damaged";
}

/** A part of a document's text. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
  /** Empty if the part is damaged. */
  readonly text: string;
  /** Whether the stored part differs from what was written. */
  readonly isDamaged: boolean;
}

/** Returns the parts of a generation's text that overlap a range, in order. */
export function* listTextParts(
  tx: Tx,
  { documentSeq, generation, start, end }: GenerationRef & { readonly start: number; readonly end: number },
): Operation<readonly TextPart[]> {
  const rows = yield* tx.all<TextPartRow>(
    `SELECT ${TEXT_PART_COLUMNS} FROM document_texts
     WHERE document_seq = ? AND generation = ? AND start_offset < ? AND end_offset > ? ORDER BY start_offset`,
    ...[documentSeq, generation, end, start],
  );
  return rows.map((row) => {
    const isDamaged = !isSound(row);
    return { start: row.start, end: row.end, text: isDamaged ? "" : row.text, isDamaged };
  });
}

/** The fields of a document that are needed to remove it. */
export interface RemovableDocument {
  readonly id: string;
  readonly seq: number;
  readonly namespaceId: string;
  readonly tenantId: string | null;
  readonly status: Status;
  /** The published generation; 0 for none. */
  readonly generation: number;
  /** The generation being written; 0 for none. */
  readonly building: number;
}

const SELECT_REMOVABLE = `SELECT d.id, d.seq, d.namespace_id AS "namespaceId", d.tenant_id AS "tenantId",
  d.status, d.generation, d.building FROM documents d`;

export function* getRemovableDocument(
  tx: Tx,
  { documentId }: { readonly documentId: string },
): Operation<RemovableDocument | undefined> {
  return yield* tx.get<RemovableDocument>(`${SELECT_REMOVABLE} WHERE d.id = ?`, documentId);
}

export function* listRemovableDocuments(
  tx: Tx,
  { jobId }: { readonly jobId: string },
): Operation<readonly RemovableDocument[]> {
  return yield* tx.all<RemovableDocument>(`${SELECT_REMOVABLE} WHERE d.ingest_job_id = ?`, jobId);
}

/**
 * Returns the source version of the published generation; `undefined` if there is none or another pipeline built it.
 */
export function* getPublishedSourceVersion(
  tx: Tx,
  { documentSeq, pipelineFingerprint }: { readonly documentSeq: number; readonly pipelineFingerprint: string },
): Operation<SourceVersion | undefined> {
  return yield* tx.get<SourceVersion>(
    `SELECT o.etag, o.last_modified AS "lastModified", o.content_hash AS "contentHash",
       o.made_with AS "pipelineFingerprint", o.fetched_at AS "fetchedAt"
     FROM origins o JOIN documents d ON d.seq = o.document_seq AND d.generation > 0
     WHERE o.document_seq = ? AND o.made_with = ?`,
    documentSeq,
    pipelineFingerprint,
  );
}

/** Returns the content that a crawl has fetched for a document and that is not published yet. */
export function* getFetchedSource(
  tx: Tx,
  { documentSeq }: { readonly documentSeq: number },
): Operation<CamelCase<FetchedSourceRow> | undefined> {
  return camelCase(
    yield* tx.get<FetchedSourceRow>("SELECT * FROM fetched_sources WHERE document_seq = ?", documentSeq),
  );
}
