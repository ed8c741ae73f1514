import type { Storage } from "../storage/storage.js";
import type { SealContext, Secrets } from "./secrets.js";

/** Begins every mask, which is returned instead of a secret. */
export const MASK = "••••";

/** An encrypted secret, stored beside the record with its mask. */
export interface SealedValue {
  readonly field: string;
  /** The master key's id. */
  readonly keyId: string;
  readonly sealed: string;
}

/** The record that sealed values belong to. */
export type SealedOwner = Omit<SealContext, "field">;

export function sealValue(secrets: Secrets, owner: SealedOwner, field: string, value: string): SealedValue {
  return { field, keyId: secrets.keyId, sealed: secrets.seal(value, { ...owner, field }) };
}

/** Decrypts the given fields of a record. Omits fields without a secret. */
export async function unsealValues(
  { storage, secrets }: { readonly storage: Storage; readonly secrets: Secrets },
  owner: SealedOwner,
  fields: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await storage.secrets.of({ namespaceId: owner.namespaceId, owner: owner.owner });
  const wanted = rows.filter(({ field }) => fields.includes(field));
  return new Map(wanted.map(({ field, sealed }) => [field, secrets.unseal(sealed, { ...owner, field })]));
}
