import type { EmbeddingConfig, IngestConfig, Metadata } from "../types.js";
import { didYouMean } from "../validation/did-you-mean.js";
import type { FlagName, FlagValues } from "./flags.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** Returns the knowledge base's directory: `--directory`, else LOREBASE_DIRECTORY, else `./lorebase`. */
export function resolveDirectory(flags: FlagValues, terminal: Terminal): string {
  return flags.directory ?? (terminal.env.LOREBASE_DIRECTORY || "./lorebase");
}

/** Returns `undefined` if neither flag is given: the engine then chooses an embedder. */
export function parseEmbeddingFlags({ embedding, model }: FlagValues): EmbeddingConfig | undefined {
  if (embedding !== undefined) return { provider: embedding, ...(model !== undefined && { model }) };
  if (model === undefined) return undefined;
  throw new UsageError("--model needs --embedding, as in --embedding MANAGED_TRANSFORMERS");
}

/** Parses the options of commands that add documents. */
export function parseIngestFlags(flags: FlagValues) {
  const embeddingConfig = parseEmbeddingFlags(flags);
  const config: IngestConfig = {
    metadata: parseJsonObject("metadata", flags.metadata),
    ...(flags.allow && { allow: flags.allow }),
    chunkSize: parseCount("chunk-size", flags["chunk-size"]),
  };
  return { embeddingConfig, config };
}

export function parseChoice<T extends string>(
  flag: FlagName,
  value: string | undefined,
  choices: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new UsageError(`--${flag} must be one of ${choices.join(", ")}, not "${value}"${didYouMean(value, choices)}`);
}

/** @throws UsageError unless the value is an integer from `min`, by default 1, to `max` */
export function parseCount(flag: FlagName, value: string | undefined, max?: number, min = 1): number | undefined {
  if (value === undefined) return undefined;
  const count = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(count) && count >= min && count <= (max ?? count)) return count;
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new UsageError(`--${flag} must be a whole number ${range}, not "${value}"`);
}

/** Parses a TCP port; 0 chooses a free one. */
export function parsePort(flag: "port" | "metrics-port", value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new UsageError(`--${flag} must be a whole number from 0 to 65535, not "${value}"`);
}

/** Parses HTTP headers of the form `name: value`. Names are case-insensitive and must be unique. */
export function parseHeaders(lines: readonly string[] | undefined): Record<string, string> | undefined {
  if (lines === undefined) return undefined;
  const names = new Set<string>();
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    if (colon < 1) throw new UsageError("--header must be a name and a value, as in 'Accept-Language: de'");
    const name = line.slice(0, colon).trim();
    // Errors don't quote the header's value, which may be a secret.
    if (names.has(name.toLowerCase())) throw new UsageError(`--header "${name}" is given twice`);
    names.add(name.toLowerCase());
    return [name, line.slice(colon + 1).trim()] as const;
  });
  return Object.fromEntries(headers);
}

export function parseJsonObject(flag: FlagName, value: string | undefined): Metadata | undefined {
  if (value === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch (cause) {
    throw new UsageError(`--${flag} is not JSON: ${value}`, { cause });
  }
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed as Metadata;
  throw new UsageError(`--${flag} must be a JSON object, not ${value}`);
}
