import { recordBytes } from "../../../vector-scan/record.js";
import type { Statements } from "../statements.js";
import { dropSparseFile } from "./vector-files.js";
import { writePart } from "./vector-records.js";
import { floats, runsOf } from "./vector-runs.js";

// Records are written per document. Loading a scope from many small rows takes several times as long as from a few
// large
// ones, so the records of published documents are compacted into blocks of some thousand.
//
// A block never changes. Its records of a document are valid while that generation is published, since the vectors of a
// generation don't change either; a document without records is read from its vectors. So changes never require a block
// to
// be updated, and it is rewritten when half of it is dead.

/** Approximate records per block. */
const BLOCK = 1024;
/** Rows to read and bytes to move in one transaction: some tens of milliseconds of the writer's time. */
const MAX_ROWS = 4096;
const MAX_BYTES = 16 * 1024 * 1024;

interface Part {
  readonly document: number;
  readonly generation: number;
  readonly part: number;
  readonly dimensions: number;
  readonly count: number;
  readonly bytes: number;
}

interface Block {
  readonly seq: number;
  readonly dimensions: number;
  readonly documents: Uint8Array;
  readonly generations: Uint8Array;
}

/** Compacts the records of a scope's published documents into blocks, if there are enough. */
export function compactRecords(db: Statements, scopeId: number, block = BLOCK): void {
  const parts = db.all<Part>(
    `SELECT r.document_seq AS document, r.generation, r.part, r.dimensions, r.count, length(r.records) AS bytes
     FROM (SELECT * FROM vector_records WHERE scope_id = ? LIMIT ?) r
     CROSS JOIN documents d ON d.seq = r.document_seq AND d.generation = r.generation`,
    scopeId,
    MAX_ROWS,
  );
  let some: Part[] = [];
  let count = 0;
  let moved = 0;
  for (const part of parts) {
    if (moved > MAX_BYTES) return;
    if (some.length > 0 && some[0]!.dimensions !== part.dimensions) return;
    some.push(part);
    count += part.count;
    moved += part.bytes;
    if (count < block) continue;
    writeBlock(db, scopeId, some, count);
    some = [];
    count = 0;
  }
}

function writeBlock(db: Statements, scopeId: number, parts: readonly Part[], count: number): void {
  const documents = new Float64Array(count);
  const generations = new Float64Array(count);
  const records: Uint8Array[] = [];
  let from = 0;
  for (const { document, generation, part, count: rows } of parts) {
    documents.fill(document, from, from + rows);
    generations.fill(generation, from, from + rows);
    from += rows;
    const [taken] = db.column<Uint8Array>(
      "DELETE FROM vector_records WHERE scope_id = ? AND document_seq = ? AND generation = ? AND part = ? RETURNING records",
      scopeId,
      document,
      generation,
      part,
    );
    records.push(taken!);
  }
  db.run(
    `INSERT INTO vector_blocks (scope_id, first_document, last_document, dimensions, documents, generations, records)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    scopeId,
    parts[0]!.document,
    parts.at(-1)!.document,
    parts[0]!.dimensions,
    new Uint8Array(documents.buffer),
    new Uint8Array(generations.buffer),
    Buffer.concat(records),
  );
}

/**
 * Removes the records of one generation of a document, or of all if it is `null`. Records in a block stay until half of
 * it
 * is dead, unless that generation is still published: then the block is rewritten now.
 */
export function removeRecords(
  db: Statements,
  removal: { readonly scopeId: number; readonly documentSeq: number; readonly generation: number | null },
): void {
  const { scopeId, documentSeq, generation } = removal;
  db.run(
    `DELETE FROM vector_records WHERE scope_id = ? AND document_seq = ?${generation === null ? "" : " AND generation = ?"}`,
    scopeId,
    documentSeq,
    ...(generation === null ? [] : [generation]),
  );
  const blocks = db.all<Block>(
    `SELECT seq, dimensions, documents, generations FROM vector_blocks
     WHERE scope_id = ? AND first_document <= ? AND last_document >= ?`,
    scopeId,
    documentSeq,
    documentSeq,
  );
  for (const block of blocks) rewriteIfSparse(db, block, removal);
}

function rewriteIfSparse(
  db: Statements,
  block: Block,
  { scopeId, documentSeq, generation }: { scopeId: number; documentSeq: number; generation: number | null },
): void {
  const documents = floats(block.documents);
  const generations = floats(block.generations);
  const published = new Map<number, number>();
  let alive = 0;
  let removed = 0;
  for (const [row, document] of documents.entries()) {
    if (!published.has(document)) {
      const row = db.get<{ generation: number }>("SELECT generation FROM documents WHERE seq = ?", document);
      published.set(document, row?.generation ?? 0);
    }
    if (published.get(document) !== generations[row]) continue;
    const meant = document === documentSeq && (generation === null || generation === generations[row]);
    if (meant) removed++;
    else alive++;
  }
  if (removed === 0 && alive * 2 > documents.length) return;
  const [file] = db.column<string>("SELECT file FROM vector_file_blocks WHERE block_seq = ?", block.seq);
  const [records] = db.column<Uint8Array>("DELETE FROM vector_blocks WHERE seq = ? RETURNING records", block.seq);
  if (file !== undefined) dropSparseFile(db, file);
  const { dimensions } = block;
  const size = recordBytes(dimensions);
  for (const { document, generation: its, from, to } of runsOf({ documents, generations })) {
    const meant = document === documentSeq && (generation === null || generation === its);
    if (meant || published.get(document) !== its) continue;
    const alive = { dimensions, records: records!.subarray(from * size, to * size) };
    writePart(db, { scopeId, documentSeq: document, generation: its }, alive);
  }
}
