import type { Scope } from "../../types.js";
import type { Statements } from "../sqlite/statements.js";
import { chunksContaining } from "./keyword-search.js";

/** A chunk as a search result needs it. */
export interface StoredPassage {
  /** `<documentId>.<generation>.<n>`. */
  readonly id: string;
  readonly chunkSeq: number;
  readonly documentId: string;
  readonly generation: number;
  readonly ordinal: number;
  readonly text: string;
  readonly headings: readonly string[];
  readonly page: number | null;
  readonly metadata: string;
}

/**
 * The chunks behind ids that a store found, in their order, leaving out what is no longer (or not yet) published, belongs to another
 * scope, or lacks a required word.
 */
export function livePassages(
  db: Statements,
  question: { scope: Scope; ids: readonly string[]; required: string | null },
): readonly StoredPassage[] {
  const passages = question.ids.flatMap((id) => findPassage(db, question.scope, id) ?? []);
  if (question.required === null) return passages;
  const containing = new Set(
    chunksContaining(db, {
      scope: question.scope,
      expression: question.required,
      chunkSeqs: passages.map(({ chunkSeq }) => chunkSeq),
    }),
  );
  return passages.filter(({ chunkSeq }) => containing.has(chunkSeq));
}

function findPassage(db: Statements, scope: Scope, id: string): StoredPassage | null {
  const [documentId, generation, ordinal] = id.split(".");
  const row = db.get<Omit<StoredPassage, "id" | "headings"> & { headings: string }>(
    `SELECT c.seq AS chunkSeq, d.id AS documentId, c.generation, c.ordinal, c.text, c.headings, c.page, c.metadata
     FROM documents d JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation
     WHERE d.id = ? AND d.generation = ? AND c.ordinal = ? AND d.namespace_id = ? AND coalesce(d.tenant_id, '') = ?`,
    documentId!,
    Number(generation),
    Number(ordinal),
    scope.namespaceId,
    scope.tenantId ?? "",
  );
  return row ? { ...row, id, headings: JSON.parse(row.headings) } : null;
}

/** What stands around a chunk in its document. */
export interface Neighbours {
  readonly previous: number | null;
  readonly next: number | null;
  /** The other chunks under the same headings, in order. */
  readonly siblings: readonly number[];
}

export function neighbours(db: Statements, question: { chunkSeqs: readonly number[] }): readonly Neighbours[] {
  return question.chunkSeqs.map((seq) => {
    const around = db.all<{ ordinal: number; here: number; same: number }>(
      `SELECT o.ordinal, o.seq = c.seq AS here, o.headings = c.headings AS same FROM chunks c
       JOIN chunks o ON o.document_seq = c.document_seq AND o.generation = c.generation
       WHERE c.seq = ? AND (abs(o.ordinal - c.ordinal) <= 1 OR o.headings = c.headings) ORDER BY o.ordinal`,
      seq,
    );
    const own = around.find(({ here }) => here)!.ordinal;
    const at = (ordinal: number) => around.find((row) => row.ordinal === ordinal)?.ordinal ?? null;
    return {
      previous: at(own - 1),
      next: at(own + 1),
      siblings: around.filter(({ same, here }) => same && !here).map(({ ordinal }) => ordinal),
    };
  });
}
