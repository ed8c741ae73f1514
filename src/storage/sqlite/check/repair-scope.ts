import type { DerivedPart } from "../../check/storage-inspection.js";
import { metadataRows } from "../../metadata-rows.js";
import { CHUNK_COLUMNS, type ChunkRow, isSound } from "../../stored-chunk.js";
import { startKeywordRebuild } from "../search-index/keyword-rebuild.js";
import { skipEpochs } from "../search-index/scope-changes.js";
import { dropVectorFiles } from "../search-index/vector-files.js";
import type { Statements } from "../statements.js";

/** The number of chunks that are read at once. */
const CHUNKS_PER_STEP = 500;

const REPAIRS: Readonly<Record<DerivedPart, (db: Statements, scopeId: number) => void>> = {
  // Further steps write the new table.
  keywords: startKeywordRebuild,
  metadata: rebuildMetadata,
  // Maintenance writes new files.
  records: dropVectorFiles,
  count: (db, scopeId) =>
    void db.run(
      "UPDATE scopes SET chunks = (SELECT count(*) FROM chunks WHERE scope_id = scopes.id) WHERE id = ?",
      scopeId,
    ),
};

/** Builds a part of a scope's index again from its chunks and vectors. */
export function repairScope(
  db: Statements,
  { scopeId, part }: { readonly scopeId: number; readonly part: DerivedPart },
): void {
  REPAIRS[part](db, scopeId);
}

/** Builds an index again from its table. Allocates pages, so the list of free pages has to be sound. */
export function reindex(db: Statements, { index }: { readonly index: string }): void {
  db.exec(`REINDEX "${index.replaceAll('"', '""')}"`);
}

function rebuildMetadata(db: Statements, scopeId: number): void {
  db.run("DELETE FROM chunk_metadata WHERE scope_id = ?", scopeId);
  for (let after = 0; ; ) {
    const rows = db.all<ChunkRow & { seq: number }>(
      `SELECT c.seq, ${CHUNK_COLUMNS} FROM chunks c WHERE c.scope_id = ? AND c.seq > ? ORDER BY c.seq LIMIT ?`,
      ...[scopeId, after, CHUNKS_PER_STEP],
    );
    for (const row of rows.filter(isSound))
      for (const { key, kind, value } of metadataRows(JSON.parse(row.metadata), JSON.parse(row.headings)))
        db.run("INSERT OR IGNORE INTO chunk_metadata VALUES (?, ?, ?, ?, ?)", scopeId, key, kind, value, row.seq);
    if (rows.length < CHUNKS_PER_STEP) break;
    after = rows.at(-1)!.seq;
  }
  skipEpochs(db, scopeId);
}
