import { KnowledgeBaseError } from "../../errors.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { notFound } from "./not-found.js";
import type { GoldenGuardRow } from "./row-types.js";

export type GoldenGuardRecord = CamelCase<GoldenGuardRow>;

type NamespaceRef = { readonly namespaceId: string };

export function* getGoldenGuard(tx: Tx, { namespaceId }: NamespaceRef): Operation<GoldenGuardRecord | undefined> {
  const sql = "SELECT * FROM golden_guards WHERE namespace_id = ?";
  return camelCase(yield* tx.get<GoldenGuardRow>(sql, namespaceId));
}

/**
 * Adds or replaces the guard of a namespace.
 * @throws KnowledgeBaseError `not_found` if the namespace has been deleted, `conflict` while a cut-over is requested, which
 * a worker does without looking at the guard
 */
export function* setGoldenGuard(tx: Tx, { namespaceId, guard, createdAt }: GoldenGuardRecord): Operation<void> {
  // A re-embedding is started under the first lock, and its cut-over requested under the second.
  yield* tx.lock("namespace", namespaceId);
  if (!(yield* tx.get("SELECT 1 FROM namespaces WHERE id = ? AND deleted_at IS NULL", namespaceId)))
    throw notFound("namespace", namespaceId);
  const reembedding = yield* tx.get<{ wants_switch: number }>(
    `SELECT wants_switch FROM reembeddings WHERE namespace_id = ? ${tx.dialect.lockingRows}`,
    namespaceId,
  );
  if (reembedding?.wants_switch === 1)
    throw new KnowledgeBaseError("conflict", "A cut-over is requested: set the guard when it is done.", {
      retryable: true,
    });
  yield* tx.exec(
    `INSERT INTO golden_guards (namespace_id, guard, created_at) VALUES (?, ?, ?)
     ON CONFLICT (namespace_id) DO UPDATE SET guard = excluded.guard, created_at = excluded.created_at`,
    ...[namespaceId, guard, createdAt],
  );
}

/** Deletes and returns the guard of a namespace; returns `undefined` if it has none. */
export function* deleteGoldenGuard(tx: Tx, { namespaceId }: NamespaceRef): Operation<GoldenGuardRecord | undefined> {
  const sql = "DELETE FROM golden_guards WHERE namespace_id = ? RETURNING *";
  return camelCase(yield* tx.get<GoldenGuardRow>(sql, namespaceId));
}

/** What a guard has allowed. */
export interface GuardApproval {
  /** The set of vectors that was compared with those in use. */
  readonly vectorSet: number;
  /** The guard by which they were compared, as it is stored. */
  readonly guard: string;
}

/**
 * Refuses a cut-over that nobody has checked by the guard.
 * @throws KnowledgeBaseError `conflict` if the namespace has a guard
 */
export function* requireNoGoldenGuard(tx: Tx, { namespaceId }: NamespaceRef): Operation<void> {
  if (!(yield* getGoldenGuard(tx, { namespaceId }))) return;
  const message =
    "The namespace has a guard of golden questions, which has to be asked first: cut over by hand, once the re-embedding is ready.";
  throw new KnowledgeBaseError("conflict", message);
}

/**
 * Refuses an approval of another set of vectors, or by another guard. Sets have numbers that are not used again.
 * @throws KnowledgeBaseError `conflict`, which is retryable
 */
export function* requireApproval(
  tx: Tx,
  { namespaceId, vectorSet, approval }: NamespaceRef & { readonly vectorSet: number; readonly approval: GuardApproval },
): Operation<void> {
  const stored = yield* getGoldenGuard(tx, { namespaceId });
  if (approval.vectorSet === vectorSet && approval.guard === stored?.guard) return;
  const message =
    "The other embedding model or the guard of golden questions was changed while the models were compared: cut over again.";
  throw new KnowledgeBaseError("conflict", message, { retryable: true });
}
