import { KnowledgeBaseError } from "../errors.js";
import { MASK, type SealedOwner, type SealedValue, sealValue } from "./sealed-values.js";
import type { Secrets } from "./secrets.js";

/** Which of a namespace's configurations. */
export type ConfigField = "embeddingConfig" | "vectorStoreConfig";

/** Shorter secrets show none of their characters. */
const SHOWS_FROM = 12;
const SHOWN = 4;

interface SealedConfig<Config> {
  /** What may be stored and shown. */
  readonly masked: Config;
  readonly sealed: readonly SealedValue[];
}

/** Parts a configuration from its secrets. A secret may be anything that JSON has. */
export function sealConfig<Config extends object>(
  config: Config,
  names: readonly string[],
  { secrets, owner, field }: { readonly secrets: Secrets; readonly owner: SealedOwner; readonly field: ConfigField },
): SealedConfig<Config> {
  const own = Object.entries(config).filter(([name, value]) => names.includes(name) && value !== undefined);
  const sealed = own.map(([name, value]) => sealValue(secrets, owner, `${field}.${name}`, JSON.stringify(value)));
  const masks = own.map(([name, value]) => [name, maskOf(value)] as const);
  return { masked: { ...config, ...Object.fromEntries(masks) }, sealed };
}

/**
 * Refuses a configuration that shows a mask where its secret should stand, as one that was read from another namespace does.
 * @throws KnowledgeBaseError `invalid_input`
 */
export function refuseMasks(config: object, field: ConfigField): void {
  const issues = maskedNames(config).map((name) => ({
    field: `${field}.${name}`,
    message: "is a mask, not the value that it stands for: secrets are never read back",
  }));
  if (issues.length === 0) return;
  throw new KnowledgeBaseError("invalid_input", issues.map(({ field, message }) => `${field} ${message}`).join("; "), {
    issues,
  });
}

/** The names under which a configuration shows masks. */
export function maskedNames(config: object): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) => {
    return typeof value === "string" && value.startsWith(MASK) ? [name] : [];
  });
}

/** What is shown in place of a secret. */
export function maskOf(secret: unknown): string {
  return typeof secret === "string" && secret.length >= SHOWS_FROM ? `${MASK}${secret.slice(-SHOWN)}` : MASK;
}
