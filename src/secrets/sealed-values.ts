import type { Storage } from "../storage/storage.js";
import type { SealContext, Secrets } from "./secrets.js";

/** The prefix of every mask, the text that is returned in place of a secret. A mask may be the prefix alone. */
export const MASK_PREFIX = "••••";

/** An encrypted secret, stored separately from the record, which holds only its mask. */
export interface SealedValue {
  readonly field: string;
  /** The id of the master key that encrypted the secret. */
  readonly keyId: string;
  readonly sealed: string;
}

/** Identifies the record that a secret belongs to. */
export type SecretOwner = Omit<SealContext, "field">;

export function sealValue(secrets: Secrets, owner: SecretOwner, field: string, value: string): SealedValue {
  return { field, keyId: secrets.keyId, sealed: secrets.seal(value, { ...owner, field }) };
}

/** Decrypts the secrets of a record, by field. Fields without a stored secret are absent. */
export async function unsealValues(
  { storage, secrets }: { readonly storage: Storage; readonly secrets: Secrets },
  owner: SecretOwner,
  fields: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await storage.secrets.list({ namespaceId: owner.namespaceId, ownerId: owner.ownerId });
  const selected = rows.filter(({ field }) => fields.includes(field));
  return new Map(selected.map(({ field, sealed }) => [field, secrets.unseal(sealed, { ...owner, field })]));
}
