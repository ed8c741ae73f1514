import type { Metadata } from "../../types.js";
import type { Operation } from "../operation.js";
import type { RestoredChunk } from "../search-index.js";
import type { Tx } from "../tx.js";
import { copiedColumns, type TransferRow, tableOf } from "./row-batches.js";
import type { TransferTable } from "./tables.js";
import { recordStep, type StepChange } from "./transfer-state.js";

/** The number of values in one statement: PostgreSQL allows 65,535, SQLite 32,766. */
const MAX_VALUES = 4000;

/** Inserts rows of a table, whose name is that of the step. Chunks are indexed too. */
export function* writeRows(
  tx: Tx,
  { rows, ...change }: StepChange & { readonly rows: readonly TransferRow[] },
): Operation<void> {
  yield* recordStep(tx, change);
  const table = tableOf(change.step);
  // Before their rows: an index that begins with the chunks of a scope reads the rows that are there.
  if (table.name === "chunks") yield* tx.index.restoreChunks(rows.map((row) => toRestoredChunk(table, row)));
  const columns = copiedColumns(table);
  const rowsPerStatement = Math.floor(MAX_VALUES / columns.length);
  const placeholders = `(${columns.map(() => "?").join(", ")})`;
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const part = rows.slice(from, from + rowsPerStatement);
    yield* tx.exec(
      `INSERT INTO ${table.name} (${columns.join(", ")}) VALUES ${part.map(() => placeholders).join(", ")}`,
      ...part.flat(),
    );
  }
}

/** Restores the indexes of the next scopes. Returns the position of the step. */
export function* restoreScopes(tx: Tx, { step, from }: Pick<StepChange, "step" | "from">): Operation<StepChange["to"]> {
  const scopes = yield* tx.all<{ id: number }>(
    "SELECT id FROM scopes WHERE id > ? ORDER BY id LIMIT 100",
    from.after?.[0] ?? 0,
  );
  const last = scopes.at(-1);
  const to = { after: last ? [last.id] : from.after, count: from.count + scopes.length, isDone: !last };
  yield* recordStep(tx, { step, from, to });
  for (const { id } of scopes) yield* tx.index.restoreScope(id);
  return to;
}

function toRestoredChunk({ columns }: TransferTable, row: TransferRow): RestoredChunk {
  const value = <Type>(column: string) => row[columns.indexOf(column)] as Type;
  return {
    seq: value("seq"),
    scopeId: value("scope_id"),
    documentSeq: value("document_seq"),
    generation: value("generation"),
    indexText: value<string | null>("index_text") ?? value("text"),
    headings: JSON.parse(value("headings")) as readonly string[],
    metadata: JSON.parse(value("metadata")) as Metadata,
    stemming: value("stemming"),
  };
}
