import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import type { RecordOwner } from "./job-queries.js";
import { inScopesOf, type PartKey } from "./passage-signatures.js";
import { inRange, type RowRange, whereAll } from "./range.js";

/** A passage of a generation of a document. */
export interface PassagePlace {
  readonly documentSeq: number;
  readonly generation: number;
  readonly ordinal: number;
}

/** A passage whose words are mostly those of an earlier one. */
export interface NearDuplicatePair {
  readonly passage: PassagePlace;
  readonly original: PassagePlace;
  /** The share of the words of both that each has, in thousandths. */
  readonly permille: number;
}

/** A near-duplicate of which the passage or the original is no longer published. */
export interface OutdatedDuplicate {
  readonly seq: number;
  readonly documentSeq: number;
}

/** Examines up to `limit` near-duplicates of a scope after a sequence number, and returns those that are outdated. */
export function* listOutdatedDuplicates(
  tx: Tx,
  { scopeId, after, limit }: { readonly scopeId: number; readonly after: number; readonly limit: number },
): Operation<{ readonly duplicates: readonly OutdatedDuplicate[]; readonly last: number | null }> {
  const rows = yield* tx.all<OutdatedDuplicate & { readonly is_outdated: number }>(
    `SELECT n.seq, n.document_seq AS "documentSeq",
       CASE WHEN d.seq IS NULL OR o.seq IS NULL THEN 1 ELSE 0 END AS is_outdated
     FROM (SELECT * FROM near_duplicates WHERE scope_id = ? AND seq > ? ORDER BY seq LIMIT ?) n
     LEFT JOIN documents d ON d.seq = n.document_seq AND d.generation = n.generation
     LEFT JOIN documents o ON o.seq = n.original_document_seq AND o.generation = n.original_generation
     ORDER BY n.seq`,
    ...[scopeId, after, limit],
  );
  return {
    duplicates: rows.filter(({ is_outdated }) => is_outdated === 1),
    last: rows.length === limit ? rows.at(-1)!.seq : null,
  };
}

const REMOVE: RowStatement = {
  columns: { seq: "bigint" },
  sql: "DELETE FROM near_duplicates $using WHERE seq = $seq",
};
const COMPARE_AGAIN: RowStatement = {
  columns: { scope: "bigint", document: "bigint" },
  sql: "UPDATE passage_signatures SET compared = 0 $from WHERE scope_id = $scope AND document_seq = $document",
};

/** Removes near-duplicates, whose documents are then to be compared again. */
export function* removeDuplicates(
  tx: Tx,
  { scopeId, duplicates }: { readonly scopeId: number; readonly duplicates: readonly OutdatedDuplicate[] },
): Operation<void> {
  yield* tx.execRows(
    REMOVE,
    duplicates.map(({ seq }) => [seq]),
  );
  const documents = new Set(duplicates.map(({ documentSeq }) => documentSeq));
  yield* tx.execRows(
    COMPARE_AGAIN,
    Array.from(documents, (documentSeq) => [scopeId, documentSeq]),
  );
}

const INSERT: RowStatement = {
  columns: {
    scope: "bigint",
    document: "bigint",
    generation: "bigint",
    ordinal: "bigint",
    original_document: "bigint",
    original_generation: "bigint",
    original_ordinal: "bigint",
    permille: "bigint",
  },
  sql: `INSERT INTO near_duplicates (scope_id, document_seq, generation, ordinal, original_document_seq,
      original_generation, original_ordinal, similarity_permille)
    SELECT $scope, $document, $generation, $ordinal, $original_document, $original_generation, $original_ordinal, $permille
    $from WHERE EXISTS (SELECT 1 FROM scopes WHERE id = $scope) $order
    ON CONFLICT (document_seq, generation, ordinal) DO UPDATE SET original_document_seq = excluded.original_document_seq,
      original_generation = excluded.original_generation, original_ordinal = excluded.original_ordinal,
      similarity_permille = excluded.similarity_permille
    WHERE excluded.similarity_permille > near_duplicates.similarity_permille`,
};

/** Records near-duplicates. One that is known of a passage stays unless the new one is more similar. */
export function* recordDuplicates(
  tx: Tx,
  { scopeId, pairs }: { readonly scopeId: number; readonly pairs: readonly NearDuplicatePair[] },
): Operation<void> {
  yield* tx.execRows(
    INSERT,
    pairs.map(({ passage, original, permille }) => [
      ...[scopeId, passage.documentSeq, passage.generation, passage.ordinal],
      ...[original.documentSeq, original.generation, original.ordinal, permille],
    ]),
  );
}

const MARK_COMPARED: RowStatement = {
  columns: { scope: "bigint", document: "bigint", first: "bigint", generation: "bigint" },
  sql: `UPDATE passage_signatures SET compared = 1 $from WHERE scope_id = $scope AND document_seq = $document
    AND first_ordinal = $first AND generation = $generation`,
};

/** Records that parts of signatures were compared with all others. */
export function* markCompared(
  tx: Tx,
  {
    scopeId,
    parts,
  }: { readonly scopeId: number; readonly parts: readonly (PartKey & { readonly generation: number })[] },
): Operation<void> {
  yield* tx.execRows(
    MARK_COMPARED,
    parts.map(({ documentSeq, first, generation }) => [scopeId, documentSeq, first, generation]),
  );
}

/** Near-duplicates of which both passages are published. */
const PUBLISHED = `(SELECT n.*, d.id AS document_id, d.name, o.id AS original_id, o.name AS original_name
  FROM near_duplicates n
  JOIN documents d ON d.seq = n.document_seq AND d.generation = n.generation
  JOIN documents o ON o.seq = n.original_document_seq AND o.generation = n.original_generation) AS published`;

export interface NearDuplicateRow {
  readonly seq: number;
  readonly document_seq: number;
  readonly generation: number;
  readonly ordinal: number;
  readonly original_document_seq: number;
  readonly original_generation: number;
  readonly original_ordinal: number;
  readonly similarity_permille: number;
  readonly document_id: string;
  readonly name: string | null;
  readonly original_id: string;
  readonly original_name: string | null;
}

export function* listNearDuplicates(
  tx: Tx,
  { range, ...owner }: RecordOwner & { readonly range: RowRange },
): Operation<readonly NearDuplicateRow[]> {
  const { sql, parameters } = inRange(range, [inScopesOf(owner)]);
  return yield* tx.all<NearDuplicateRow>(`SELECT * FROM ${PUBLISHED} ${sql}`, ...parameters);
}

export function* countNearDuplicates(tx: Tx, owner: RecordOwner): Operation<number> {
  const { sql, parameters } = whereAll([inScopesOf(owner)]);
  const counted = yield* tx.get<{ duplicates: number }>(
    `SELECT count(*) AS duplicates FROM ${PUBLISHED} ${sql}`,
    ...parameters,
  );
  return counted!.duplicates;
}
