import type { RowBatch } from "../storage/transfer/row-batches.js";
import { TRANSFER_TABLES } from "../storage/transfer/tables.js";
import { START, type StepPosition } from "../storage/transfer/transfer-state.js";
import type { CallOptions } from "../types.js";
import type { PhaseProgress } from "./progress.js";
import type { TransferEnds } from "./transfer-end.js";

export type Positions = ReadonlyMap<string, StepPosition>;

/** Copies the rows of all tables from where each has come to. */
export async function copyRecords(
  ends: TransferEnds,
  positions: Positions,
  { progress, signal }: CallOptions & { readonly progress: PhaseProgress },
): Promise<void> {
  for (const { name } of TRANSFER_TABLES) {
    const position = positions.get(name) ?? START;
    progress.add(position.count);
    if (!position.isDone) await copyTable(ends, name, position, { progress, signal });
  }
  const counters = await ends.from.storage.transfer.readCounters();
  await ends.to.storage.transfer.writeCounters({ counters });
}

async function copyTable(
  { from, to }: TransferEnds,
  table: string,
  start: StepPosition,
  { progress, signal }: CallOptions & { readonly progress: PhaseProgress },
): Promise<void> {
  let position = start;
  let reading = readAhead(() => from.storage.transfer.readRows({ table, after: start.after }));
  while (!position.isDone) {
    signal?.throwIfAborted();
    const { rows, last } = await reading;
    const next = { after: last ?? position.after, count: position.count + rows.length, isDone: last === null };
    if (last) reading = readAhead(() => from.storage.transfer.readRows({ table, after: last }));
    await to.storage.transfer.writeRows({ step: table, from: position, to: next, rows });
    position = next;
    progress.add(rows.length);
  }
}

/** Reads the next batch while the last one is written. Its failure is reported by whoever awaits it. */
function readAhead(read: () => Promise<RowBatch>): Promise<RowBatch> {
  const reading = read();
  reading.catch(() => {});
  return reading;
}

/** Indexes the copied chunks, and runs the maintenance that ingesting them would have run. */
export async function buildIndex(
  { to }: TransferEnds,
  positions: Positions,
  { progress, signal }: CallOptions & { readonly progress: PhaseProgress },
): Promise<void> {
  const step = "scopes of the index";
  for (let from = positions.get(step) ?? START; !from.isDone; ) {
    signal?.throwIfAborted();
    from = await to.storage.transfer.restoreScopes({ step, from });
    progress.add(1);
  }
  while (await to.storage.index.maintain({ signal })) progress.add(1);
}
