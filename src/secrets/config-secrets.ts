import { KnowledgeBaseError } from "../errors.js";
import { MASK_PREFIX, type SealedValue, type SecretOwner, sealValue } from "./sealed-values.js";
import type { Secrets } from "./secrets.js";

/** The field of a namespace that holds a driver's configuration. */
export type ConfigField = "embeddingConfig" | "vectorStoreConfig";

/** The name by which the secrets of a configuration are sealed. */
export type SealedField = ConfigField | `${ConfigField}.${number}`;

/** Returns the name for a configuration of a set of vectors: those of the first set have no number. */
export function sealedField(field: ConfigField, vectorSet: number): SealedField {
  return vectorSet === 0 ? field : `${field}.${vectorSet}`;
}

/** The minimum length of a secret whose mask shows its last characters. */
const MIN_HINT_LENGTH = 12;
/** The number of characters that the mask shows. */
const HINT_LENGTH = 4;

interface ConfigSealOptions {
  readonly secrets: Secrets;
  readonly owner: SecretOwner;
  readonly field: SealedField;
}

interface SealedConfig<Config> {
  /** The configuration with masks instead of secrets, which is safe to store and return. */
  readonly masked: Config;
  readonly sealed: readonly SealedValue[];
}

/** Seals the secrets of a configuration and replaces them with masks. A secret may be any JSON value. */
export function sealConfig<Config extends object>(
  config: Config,
  secretFields: readonly string[],
  { secrets, owner, field }: ConfigSealOptions,
): SealedConfig<Config> {
  const secretEntries = Object.entries(config).filter(
    ([name, value]) => secretFields.includes(name) && value !== undefined,
  );
  const sealed = secretEntries.map(([name, value]) =>
    sealValue(secrets, owner, `${field}.${name}`, JSON.stringify(value)),
  );
  const masks = secretEntries.map(([name, value]) => [name, maskSecret(value)] as const);
  return { masked: { ...config, ...Object.fromEntries(masks) }, sealed };
}

/**
 * Rejects a configuration that contains masks, such as a configuration read from another namespace.
 * @throws KnowledgeBaseError `invalid_input` if a field is a mask
 */
export function refuseMasks(config: object, field: ConfigField): void {
  const issues = maskedNames(config).map((name) => ({
    field: `${field}.${name}`,
    message: "is a mask, not a secret; secrets cannot be read back, so give the original value",
  }));
  if (issues.length === 0) return;
  throw new KnowledgeBaseError("invalid_input", issues.map(({ field, message }) => `${field} ${message}`).join("; "), {
    issues,
  });
}

/** Returns the names of a configuration's masked fields. */
export function maskedNames(config: object): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    return typeof value === "string" && value.startsWith(MASK_PREFIX) ? [name] : [];
  });
}

/** Returns the mask that is stored and returned instead of a secret. */
export function maskSecret(secret: unknown): string {
  const isLong = typeof secret === "string" && secret.length >= MIN_HINT_LENGTH;
  return MASK_PREFIX + (isLong ? secret.slice(-HINT_LENGTH) : "");
}
