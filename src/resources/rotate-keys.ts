import type { Engine } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import type { CallOptions } from "../types.js";

export interface KeyRotation {
  /** The id of the first master key. */
  readonly keyId: string;
  /** The number of secrets that this call encrypted with the first key. */
  readonly resealed: number;
  /** The number of secrets still encrypted with unknown keys or with keys that other processes have just used. */
  readonly remaining: number;
}

const BATCH_SIZE = 100;

/**
 * Encrypts every stored secret again with the first master key. An interrupted rotation keeps its progress; a secret
 * that another process has changed in the meantime is left unchanged.
 */
export async function rotateKeys(
  { storage, secrets }: Pick<Engine, "storage" | "secrets">,
  { signal }: CallOptions,
): Promise<KeyRotation> {
  const { keyId } = secrets;
  let resealed = 0;
  let after = { namespaceId: "", ownerId: "", field: "" };
  for (;;) {
    signal?.throwIfAborted();
    const rows = await storage.secrets.listByOtherKeys({ keyId, after, limit: BATCH_SIZE });
    const resealable = rows.flatMap(({ sealed, ...location }) => {
      const value = tryUnseal(() => secrets.unseal(sealed, location));
      return value === null ? [] : [{ ...location, keyId, sealed: secrets.seal(value, location), previous: sealed }];
    });
    resealed += await storage.secrets.reseal({ values: resealable });
    const last = rows.at(-1);
    if (!last) break;
    after = last;
  }
  const others = (await storage.secrets.countByKey()).filter((key) => key.keyId !== keyId);
  return { keyId, resealed, remaining: others.reduce((sum, { count }) => sum + count, 0) };
}

/** Returns `null` if no known key decrypts the secret, which is then counted as remaining. */
function tryUnseal(unseal: () => string): string | null {
  try {
    return unseal();
  } catch (error) {
    if (KnowledgeBaseError.is(error)) return null;
    throw error;
  }
}
