import type { Operation, Tx } from "../tx.js";

/** A secret in its encrypted form. */
export interface SealedRow {
  readonly namespaceId: string;
  /** The namespace itself, or an ingest job of it. */
  readonly owner: string;
  readonly field: string;
  readonly keyId: string;
  readonly sealed: string;
}

export function* addSealedValues(tx: Tx, values: readonly SealedRow[]): Operation<void> {
  for (const { namespaceId, owner, field, keyId, sealed } of values) {
    yield* tx.run("INSERT INTO sealed_values VALUES (?, ?, ?, ?, ?)", namespaceId, owner, field, keyId, sealed);
  }
}

/** Puts new seals in the place of old ones, where these are still there. Returns how many were. */
export function* resealValues(
  tx: Tx,
  { values }: { readonly values: readonly (SealedRow & { readonly was: string })[] },
): Operation<number> {
  let changed = 0;
  for (const { namespaceId, owner, field, keyId, sealed, was } of values) {
    changed += yield* tx.run(
      "UPDATE sealed_values SET key_id = ?, sealed = ? WHERE namespace_id = ? AND owner = ? AND field = ? AND sealed = ?",
      ...[keyId, sealed, namespaceId, owner, field, was],
    );
  }
  return changed;
}
