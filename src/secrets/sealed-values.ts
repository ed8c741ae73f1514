import type { Storage } from "../storage/storage.js";
import type { SealedPlace, Secrets } from "./secrets.js";

/** What a secret reads back as. */
export const MASK = "••••";

/** A secret as it is stored, beside the record that shows its mask. */
export interface SealedValue {
  readonly field: string;
  /** Names the master key. */
  readonly keyId: string;
  readonly sealed: string;
}

/** The record that values are of. */
export type SealedOwner = Omit<SealedPlace, "field">;

export function sealValue(secrets: Secrets, owner: SealedOwner, field: string, value: string): SealedValue {
  return { field, keyId: secrets.keyId, sealed: secrets.seal(value, { ...owner, field }) };
}

/** Opens a record's secrets of the given fields; a field that has none is left out. */
export async function openValues(
  { storage, secrets }: { readonly storage: Storage; readonly secrets: Secrets },
  owner: SealedOwner,
  fields: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await storage.secrets.of({ namespaceId: owner.namespaceId, owner: owner.owner });
  const wanted = rows.filter(({ field }) => fields.includes(field));
  return new Map(wanted.map(({ field, sealed }) => [field, secrets.unseal(sealed, { ...owner, field })]));
}
