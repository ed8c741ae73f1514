import { KnowledgeBaseError } from "../../errors.js";
import type { Operation } from "../operation.js";
import type { SqlValue } from "../sql-value.js";
import type { Tx } from "../tx.js";
import { TRANSFER_TABLES } from "./tables.js";

/**
 * The table that a target has from the beginning of a transfer until everything has been compared. Nothing else opens a
 * database that has it. It contains the position of each step, and the fingerprint of the source as the position of
 * `source`.
 */
export const UNFINISHED_TRANSFER_TABLE = "unfinished_transfer";

/** How far a step of a transfer has come. */
export interface StepPosition {
  /** The key of the last item; `null` before the first. */
  readonly after: readonly SqlValue[] | null;
  /** The number of items so far. */
  readonly count: number;
  readonly isDone: boolean;
}

export const START: StepPosition = { after: null, count: 0, isDone: false };

export interface StepChange {
  readonly step: string;
  readonly from: StepPosition;
  readonly to: StepPosition;
}

/**
 * Begins a transfer into an empty database, or continues that of the same source. Returns the positions of the steps that
 * have begun.
 * @throws KnowledgeBaseError `conflict` if the database has other content, or content of another source
 */
export function* beginTransfer(
  tx: Tx,
  { fingerprint }: { readonly fingerprint: string },
): Operation<ReadonlyMap<string, StepPosition>> {
  yield* tx.run(
    `CREATE TABLE IF NOT EXISTS ${UNFINISHED_TRANSFER_TABLE} (step TEXT PRIMARY KEY, position TEXT NOT NULL)`,
  );
  // A process that was killed may have left a transaction that is being committed.
  yield* lockTransfer(tx);
  const rows = yield* tx.all<{ step: string; position: string }>(
    `SELECT step, position FROM ${UNFINISHED_TRANSFER_TABLE}`,
  );
  const source = rows.find(({ step }) => step === "source");
  if (source === undefined) {
    yield* requireEmpty(tx);
    yield* tx.run(`INSERT INTO ${UNFINISHED_TRANSFER_TABLE} (step, position) VALUES ('source', ?)`, fingerprint);
  } else if (source.position !== fingerprint) {
    throw new KnowledgeBaseError(
      "conflict",
      "The target has an unfinished migration of another knowledge base, or the source has changed since. " +
        "Empty the target and start again.",
    );
  }
  return new Map(
    rows.flatMap(({ step, position }) => (step === "source" ? [] : [[step, parsePosition(position)] as const])),
  );
}

/** Waits for transactions of the same transfer, and lets later ones wait for this one. */
function* lockTransfer(tx: Tx): Operation<void> {
  yield* tx.exec(`SELECT 1 FROM ${UNFINISHED_TRANSFER_TABLE} WHERE step = 'source' ${tx.dialect.lockingRows}`);
}

function* requireEmpty(tx: Tx): Operation<void> {
  for (const { name } of TRANSFER_TABLES) {
    if (!(yield* tx.get(`SELECT 1 AS found FROM ${name} LIMIT 1`))) continue;
    const message = `The target must be empty, but its table ${name} has rows. Use a new database or directory.`;
    throw new KnowledgeBaseError("conflict", message);
  }
}

/**
 * Records the progress of a step.
 * @throws KnowledgeBaseError `conflict` if another process has made progress with the same step
 */
export function* recordStep(tx: Tx, { step, from, to }: StepChange): Operation<void> {
  yield* lockTransfer(tx);
  const changed =
    from.after === null && !from.isDone
      ? yield* tx.run(
          `INSERT INTO ${UNFINISHED_TRANSFER_TABLE} (step, position) VALUES (?, ?) ON CONFLICT DO NOTHING`,
          step,
          formatPosition(to),
        )
      : yield* tx.run(
          `UPDATE ${UNFINISHED_TRANSFER_TABLE} SET position = ? WHERE step = ? AND position = ?`,
          formatPosition(to),
          step,
          formatPosition(from),
        );
  if (changed === 1) return;
  throw new KnowledgeBaseError("conflict", "Another process migrates to the same target at the same time.");
}

/** Ends a transfer: from now on the database can be opened. */
export function* completeTransfer(tx: Tx): Operation<void> {
  yield* tx.run(`DROP TABLE ${UNFINISHED_TRANSFER_TABLE}`);
}

/** The error for a database that has the table of an unfinished transfer. */
export function unfinishedTransferError(): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "not_ready",
    "A migration into this knowledge base is unfinished, so it may lack content. Run `lorebase migrate` again to finish " +
      "it, or use a new database or directory.",
  );
}

function formatPosition({ after, count, isDone }: StepPosition): string {
  const key = after?.map((value) => (value instanceof Uint8Array ? { base64: toBase64(value) } : value)) ?? null;
  return JSON.stringify([key, count, isDone]);
}

function parsePosition(text: string): StepPosition {
  const [key, count, isDone] = JSON.parse(text) as [(string | number | { base64: string })[] | null, number, boolean];
  const after =
    key?.map((value) => (typeof value === "object" ? new Uint8Array(Buffer.from(value.base64, "base64")) : value)) ??
    null;
  return { after, count, isDone };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
