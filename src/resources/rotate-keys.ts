import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { SealedPlace } from "../secrets/secrets.js";
import type { CallOptions } from "../types.js";

export interface KeyRotation {
  /** Names the first master key. */
  readonly keyId: string;
  /** Secrets that this call encrypted with the first key. */
  readonly resealed: number;
  /** Secrets still encrypted with other keys: unknown ones, or those that other processes used in the meantime. */
  readonly remaining: number;
}

const BATCH = 100;
const PLACE = "s.namespace_id AS namespaceId, s.owner, s.field";

/**
 * Seals every stored secret anew under the first master key. What was done is kept when it is interrupted; a secret
 * that another process has changed meanwhile stays as that one left it.
 */
export async function rotateKeys(engine: Engine, { signal }: CallOptions): Promise<KeyRotation> {
  const { database, secrets } = engine;
  const { keyId } = secrets;
  let resealed = 0;
  let after = ["", "", ""];
  for (;;) {
    signal?.throwIfAborted();
    const rows = await database.read<SealedPlace & { readonly sealed: string }>({
      sql: `SELECT ${PLACE}, s.sealed, n.organization_id AS organizationId
        FROM sealed_values s JOIN namespaces n ON n.id = s.namespace_id
        WHERE s.key_id <> ? AND (s.namespace_id, s.owner, s.field) > (?, ?, ?)
        ORDER BY s.namespace_id, s.owner, s.field LIMIT ${BATCH}`,
      parameters: [keyId, ...after],
    });
    const readable = rows.flatMap(({ sealed, ...place }) => {
      const value = openable(() => secrets.unseal(sealed, place));
      return value === null ? [] : [{ ...place, keyId, sealed: secrets.seal(value, place), was: sealed }];
    });
    resealed += await database.change("resealValues", { values: readable });
    const last = rows.at(-1);
    if (!last) break;
    after = [last.namespaceId, last.owner, last.field];
  }
  const [left] = await database.read<{ count: number }>({
    sql: "SELECT count(*) AS count FROM sealed_values WHERE key_id <> ?",
    parameters: [keyId],
  });
  return { keyId, resealed, remaining: left!.count };
}

/** Null for what the given keys don't open; it is counted among those that remain. */
function openable(unseal: () => string): string | null {
  try {
    return unseal();
  } catch (error) {
    if (KnowledgeBaseError.is(error)) return null;
    throw error;
  }
}
