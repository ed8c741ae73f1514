import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import { ownedBy, type RecordOwner } from "./job-queries.js";
import { type Condition, whereAll } from "./range.js";

/** A scope of a namespace. */
export interface HealthScope {
  readonly id: number;
  readonly tenantId: string | null;
}

export function* listHealthScopes(tx: Tx, owner: RecordOwner): Operation<readonly HealthScope[]> {
  const { sql, parameters } = whereAll(ownedBy(owner));
  return yield* tx.all<HealthScope>(`SELECT id, tenant_id AS "tenantId" FROM scopes ${sql} ORDER BY id`, ...parameters);
}

/** Returns the condition that a row belongs to a scope that an owner can see. */
export function inScopesOf(owner: RecordOwner): Condition {
  const { sql, parameters } = whereAll(ownedBy(owner));
  return [`scope_id IN (SELECT id FROM scopes ${sql})`, ...parameters];
}

/** A document whose signatures aren't those of its published generation. */
export interface UnsignedDocument {
  readonly seq: number;
  /** The published generation; 0 for none. */
  readonly generation: number;
  readonly passages: number;
}

interface DocumentPage {
  readonly documents: readonly UnsignedDocument[];
  /** The last document examined; `null` if there are no more. */
  readonly last: number | null;
}

/** Examines up to `limit` documents after a sequence number, and returns those whose signatures are missing or outdated. */
export function* listUnsignedDocuments(
  tx: Tx,
  { after, limit, ...owner }: RecordOwner & { readonly after: number; readonly limit: number },
): Operation<DocumentPage> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["seq > ?", after]]);
  const rows = yield* tx.all<UnsignedDocument & { readonly signed: number }>(
    `SELECT d.seq, d.generation, d.total_chunks AS passages, coalesce(s.generation, 0) AS signed
     FROM (SELECT seq, scope_id, generation, total_chunks FROM documents ${sql} ORDER BY seq LIMIT ?) d
     LEFT JOIN passage_signatures s ON s.scope_id = d.scope_id AND s.document_seq = d.seq AND s.first_ordinal = 0
     ORDER BY d.seq`,
    ...[...parameters, limit],
  );
  return {
    documents: rows.filter(({ generation, signed }) => generation !== signed),
    last: rows.length === limit ? rows.at(-1)!.seq : null,
  };
}

/** Consecutive passages of one generation of a document. */
export interface PassageRange {
  readonly documentSeq: number;
  readonly generation: number;
  readonly first: number;
  readonly last: number;
}

export interface PassageText {
  readonly documentSeq: number;
  readonly ordinal: number;
  readonly text: string;
  /** As a JSON array. */
  readonly headings: string;
}

const READ_TEXTS: RowStatement = {
  columns: { document: "bigint", generation: "bigint", first: "bigint", last: "bigint" },
  sql: `SELECT c.document_seq AS "documentSeq", c.ordinal, c.text, c.headings FROM chunks c $join
    WHERE c.document_seq = $document AND c.generation = $generation AND c.ordinal >= $first AND c.ordinal <= $last`,
};

/** Returns the stored texts of passages, in no particular order. */
export function* readPassageTexts(
  tx: Tx,
  { ranges }: { readonly ranges: readonly PassageRange[] },
): Operation<readonly PassageText[]> {
  return yield* tx.allRows<PassageText>(
    READ_TEXTS,
    ranges.map(({ documentSeq, generation, first, last }) => [documentSeq, generation, first, last]),
  );
}

/** The signatures of all passages of a generation of a document; none if no generation is published. */
export interface SignedDocument {
  readonly seq: number;
  readonly generation: number;
  readonly parts: readonly { readonly first: number; readonly passages: number; readonly signatures: Uint8Array }[];
}

const FORGET = ["passage_signatures", "near_duplicates", "unfindable_passages"].map(
  (table): RowStatement => ({
    columns: { document: "bigint" },
    sql: `DELETE FROM ${table} $using WHERE document_seq = $document
      AND scope_id = (SELECT d.scope_id FROM documents d WHERE d.seq = $document)`,
  }),
);

const INSERT_PART: RowStatement = {
  columns: { document: "bigint", generation: "bigint", first: "bigint", passages: "bigint", signatures: "bytea" },
  sql: `INSERT INTO passage_signatures
    (scope_id, document_seq, first_ordinal, generation, passages, compared, questioned, signatures)
    SELECT d.scope_id, d.seq, $first, d.generation, $passages, 0, 0, $signatures FROM documents d $join
    WHERE d.seq = $document AND d.generation = $generation AND d.generation > 0 ON CONFLICT DO NOTHING`,
};

/** Removes what is known of documents' passages. */
export function* forgetPassages(tx: Tx, documentSeqs: readonly number[]): Operation<void> {
  for (const statement of FORGET)
    yield* tx.execRows(
      statement,
      documentSeqs.map((seq) => [seq]),
    );
}

/** Replaces what is known of documents by signatures, unless another generation has been published. */
export function* recordSignatures(
  tx: Tx,
  { documents }: { readonly documents: readonly SignedDocument[] },
): Operation<void> {
  yield* forgetPassages(
    tx,
    documents.map(({ seq }) => seq),
  );
  yield* tx.execRows(
    INSERT_PART,
    documents.flatMap(({ seq, generation, parts }) =>
      parts.map(({ first, passages, signatures }) => [seq, generation, first, passages, signatures]),
    ),
  );
}

/** Identifies a part of a document's signatures. */
export interface PartKey {
  readonly documentSeq: number;
  readonly first: number;
}

/** The signatures of consecutive passages of a published generation. */
export interface SignaturePart extends PartKey {
  readonly generation: number;
  readonly passages: number;
  /** Concatenated. */
  readonly signatures: Uint8Array;
}

interface SignatureQuery {
  readonly scopeId: number;
  readonly after: PartKey;
  readonly limit: number;
  /** Restricts the parts to those that were not compared, or to those that were or are not after a document. */
  readonly only: "uncompared" | { readonly comparedOrThrough: number };
}

/** Returns parts of a scope's signatures, in the order of documents and passages. */
export function* readSignatures(
  tx: Tx,
  { scopeId, after, limit, only }: SignatureQuery,
): Operation<readonly SignaturePart[]> {
  const [condition, parameters] =
    only === "uncompared"
      ? ["s.compared = 0", []]
      : ["(s.compared = 1 OR s.document_seq <= ?)", [only.comparedOrThrough]];
  return yield* tx.all<SignaturePart>(
    `SELECT s.document_seq AS "documentSeq", s.first_ordinal AS first, s.generation, s.passages, s.signatures
     FROM passage_signatures s JOIN documents d ON d.seq = s.document_seq AND d.generation = s.generation
     WHERE s.scope_id = ? AND (s.document_seq, s.first_ordinal) > (?, ?) AND ${condition}
     ORDER BY s.document_seq, s.first_ordinal LIMIT ?`,
    ...[scopeId, after.documentSeq, after.first, ...parameters, limit],
  );
}
