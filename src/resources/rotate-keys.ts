import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
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

/**
 * Encrypts every stored secret again with the first master key. An interrupted rotation keeps its progress; a secret
 * that another process has changed in the meantime stays as it is.
 */
export async function rotateKeys(engine: Engine, { signal }: CallOptions): Promise<KeyRotation> {
  const { storage, secrets } = engine;
  const { keyId } = secrets;
  let resealed = 0;
  let after = { namespaceId: "", ownerId: "", field: "" };
  for (;;) {
    signal?.throwIfAborted();
    const rows = await storage.secrets.byOtherKeys({ keyId, after, limit: BATCH });
    const readable = rows.flatMap(({ sealed, ...place }) => {
      const value = openable(() => secrets.unseal(sealed, place));
      return value === null ? [] : [{ ...place, keyId, sealed: secrets.seal(value, place), was: sealed }];
    });
    resealed += await storage.secrets.reseal({ values: readable });
    const last = rows.at(-1);
    if (!last) break;
    after = last;
  }
  const others = (await storage.secrets.keys()).filter((key) => key.keyId !== keyId);
  return { keyId, resealed, remaining: others.reduce((sum, { count }) => sum + count, 0) };
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
