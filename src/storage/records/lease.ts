import { KnowledgeBaseError } from "../../errors.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/** A worker's lease on a task. A write with a lease is rejected once another worker has claimed the task. */
export interface Lease {
  readonly taskSeq: number;
  /** The id of the worker's process. */
  readonly owner: string;
  /** The fencing token, which grows with every claim of the task. */
  readonly fence: number;
}

const LEASE_LOST_MESSAGE = "Another worker has claimed the task.";

/** @throws KnowledgeBaseError `conflict` if the lease is no longer held; see {@link isLeaseLost}. */
export function* requireLease(tx: Tx, lease: Lease): Operation<void> {
  const held = yield* tx.get(
    `SELECT 1 FROM tasks WHERE seq = ? AND owner = ? AND fence = ? AND state = 'running' ${tx.dialect.lockingRows}`,
    lease.taskSeq,
    lease.owner,
    lease.fence,
  );
  if (!held) throw new KnowledgeBaseError("conflict", LEASE_LOST_MESSAGE);
}

/** Checks the leases of several writes, like {@link requireLease}, each once. Returns the different ones. */
export function* requireLeases(tx: Tx, writes: readonly { readonly lease: Lease }[]): Operation<readonly Lease[]> {
  const leases = [...new Map(writes.map(({ lease }) => [`${lease.taskSeq}.${lease.fence}`, lease])).values()];
  for (const lease of leases.sort((a, b) => a.taskSeq - b.taskSeq)) yield* requireLease(tx, lease);
  return leases;
}

/** Returns whether an error means that a write was rejected because its worker no longer holds the task. */
export function isLeaseLost(error: unknown): boolean {
  return KnowledgeBaseError.is(error, "conflict") && error.message === LEASE_LOST_MESSAGE;
}
