import type { Operation } from "../operation.js";
import type { RowStatement } from "../row-statement.js";
import type { Tx } from "../tx.js";
import type { RecordOwner } from "./job-queries.js";
import { inScopesOf, type PartKey } from "./passage-signatures.js";
import { inRange, type RowRange, whereAll } from "./range.js";

/** A part of a document of which some passages were not searched for yet. */
export interface UnquestionedPart extends PartKey {
  readonly documentId: string;
  readonly generation: number;
  readonly passages: number;
  /** The number of passages that were searched for. */
  readonly questioned: number;
}

/** Returns parts of a scope, in the order of documents, after one of them. */
export function* listUnquestionedParts(
  tx: Tx,
  { scopeId, after, limit }: { readonly scopeId: number; readonly after: PartKey; readonly limit: number },
): Operation<readonly UnquestionedPart[]> {
  return yield* tx.all<UnquestionedPart>(
    `SELECT s.document_seq AS "documentSeq", s.first_ordinal AS first, s.generation, s.passages, s.questioned,
       d.id AS "documentId"
     FROM passage_signatures s JOIN documents d ON d.seq = s.document_seq AND d.generation = s.generation
     WHERE s.scope_id = ? AND (s.document_seq, s.first_ordinal) > (?, ?) AND s.questioned < s.passages
     ORDER BY s.document_seq, s.first_ordinal LIMIT ?`,
    ...[scopeId, after.documentSeq, after.first, limit],
  );
}

const INSERT: RowStatement = {
  columns: { scope: "bigint", document: "bigint", generation: "bigint", ordinal: "bigint", question: "text" },
  sql: `INSERT INTO unfindable_passages (scope_id, document_seq, generation, ordinal, question)
    SELECT $scope, $document, $generation, $ordinal, $question $from WHERE true $order ON CONFLICT DO NOTHING`,
};

/**
 * Records how many passages of a part were searched for, and those of them that their questions didn't find. Records nothing
 * if the part's generation is no longer published.
 */
export function* recordQuestioned(
  tx: Tx,
  {
    scopeId,
    part,
    questioned,
    unfindable,
  }: {
    readonly scopeId: number;
    readonly part: UnquestionedPart;
    readonly questioned: number;
    readonly unfindable: readonly { readonly ordinal: number; readonly question: string }[];
  },
): Operation<void> {
  const { documentSeq, first, generation } = part;
  // Locked, since the document's removal also removes what is known of its passages.
  const published = yield* tx.get(
    `SELECT 1 FROM documents WHERE seq = ? AND scope_id = ? AND generation = ? ${tx.dialect.lockingRows}`,
    ...[documentSeq, scopeId, generation],
  );
  if (!published) return;
  yield* tx.execRows(
    INSERT,
    unfindable.map(({ ordinal, question }) => [scopeId, documentSeq, generation, ordinal, question]),
  );
  yield* tx.exec(
    `UPDATE passage_signatures SET questioned = ?
     WHERE scope_id = ? AND document_seq = ? AND first_ordinal = ? AND generation = ? AND questioned < ?`,
    ...[questioned, scopeId, documentSeq, first, generation, questioned],
  );
}

const PUBLISHED = `(SELECT u.*, d.id AS document_id, d.name FROM unfindable_passages u
  JOIN documents d ON d.seq = u.document_seq AND d.generation = u.generation) AS published`;

export interface UnfindablePassageRow {
  readonly seq: number;
  readonly document_seq: number;
  readonly generation: number;
  readonly ordinal: number;
  readonly question: string;
  readonly document_id: string;
  readonly name: string | null;
}

export function* listUnfindablePassages(
  tx: Tx,
  { range, ...owner }: RecordOwner & { readonly range: RowRange },
): Operation<readonly UnfindablePassageRow[]> {
  const { sql, parameters } = inRange(range, [inScopesOf(owner)]);
  return yield* tx.all<UnfindablePassageRow>(`SELECT * FROM ${PUBLISHED} ${sql}`, ...parameters);
}

export function* countUnfindablePassages(tx: Tx, owner: RecordOwner): Operation<number> {
  const { sql, parameters } = whereAll([inScopesOf(owner)]);
  const counted = yield* tx.get<{ passages: number }>(
    `SELECT count(*) AS passages FROM ${PUBLISHED} ${sql}`,
    ...parameters,
  );
  return counted!.passages;
}
