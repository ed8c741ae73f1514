import { KnowledgeBaseError } from "../errors.js";
import { MASK_PREFIX, type SealedValue, type SecretOwner, sealValue } from "./sealed-values.js";
import type { Secrets } from "./secrets.js";

/** The driver configurations of a namespace. */
export type ConfigField = "embeddingConfig" | "vectorStoreConfig";

/** Masks of shorter secrets show none of their characters. */
const MIN_HINT_LENGTH = 12;
const HINT_LENGTH = 4;

interface ConfigSealOptions {
  readonly secrets: Secrets;
  readonly owner: SecretOwner;
  readonly field: ConfigField;
}

interface SealedConfig<Config> {
  /** Safe to store and return. */
  readonly masked: Config;
  readonly sealed: readonly SealedValue[];
}

/** Replaces the secrets of a configuration with masks and seals them. A secret may be any JSON value. */
export function sealConfig<Config extends object>(
  config: Config,
  names: readonly string[],
  { secrets, owner, field }: ConfigSealOptions,
): SealedConfig<Config> {
  const secretEntries = Object.entries(config).filter(([name, value]) => names.includes(name) && value !== undefined);
  const sealed = secretEntries.map(([name, value]) =>
    sealValue(secrets, owner, `${field}.${name}`, JSON.stringify(value)),
  );
  const masks = secretEntries.map(([name, value]) => [name, maskSecret(value)] as const);
  return { masked: { ...config, ...Object.fromEntries(masks) }, sealed };
}

/**
 * Refuses a configuration with masks instead of secrets, such as one read back from another namespace.
 * @throws KnowledgeBaseError `invalid_input`
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

/** Names of the masked fields of a configuration. */
export function maskedNames(config: object): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    return typeof value === "string" && value.startsWith(MASK_PREFIX) ? [name] : [];
  });
}

/** The mask that is stored and returned instead of a secret. */
export function maskSecret(secret: unknown): string {
  const isLong = typeof secret === "string" && secret.length >= MIN_HINT_LENGTH;
  return MASK_PREFIX + (isLong ? secret.slice(-HINT_LENGTH) : "");
}
