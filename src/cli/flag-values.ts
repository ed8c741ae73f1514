import { existsSync } from "node:fs";
import { join } from "node:path";
import { KnowledgeBaseError } from "../errors.js";
import type { EmbeddingConfig, Metadata } from "../types.js";
import { didYouMean } from "../validation/did-you-mean.js";
import type { FlagName, FlagValues } from "./flags.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/** Where the knowledge base lives. */
export function directoryOf(flags: FlagValues, terminal: Terminal): string {
  return flags.directory ?? (terminal.env.LOREBASE_DIRECTORY || "./lorebase");
}

/**
 * Where a knowledge base lives that is there already.
 * @throws KnowledgeBaseError `not_found`
 */
export function existingDirectoryOf(flags: FlagValues, terminal: Terminal): string {
  const directory = directoryOf(flags, terminal);
  if (existsSync(join(directory, "lorebase.db"))) return directory;
  const message = `there is no knowledge base in ${directory}: make one with lorebase ingest or lorebase serve`;
  throw new KnowledgeBaseError("not_found", message);
}

/** The embedder that was asked for; undefined leaves it to the engine. */
export function embeddingOf(flags: FlagValues): EmbeddingConfig | undefined {
  if (flags.embedding === undefined) {
    if (flags.model !== undefined)
      throw new UsageError("--model needs --embedding, as in --embedding MANAGED_TRANSFORMERS");
    return undefined;
  }
  return { provider: flags.embedding, ...(flags.model !== undefined && { model: flags.model }) };
}

/** One of several words. */
export function choiceOf<T extends string>(
  flag: FlagName,
  value: string | undefined,
  choices: readonly T[],
): T | undefined {
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new UsageError(`--${flag} must be one of ${choices.join(", ")}, not "${value}"${didYouMean(value, choices)}`);
}

/** A whole number of at least 1. */
export function countOf(flag: FlagName, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const count = Number(value);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new UsageError(`--${flag} must be a whole number of at least 1, not "${value}"`);
}

/** A TCP port; 0 stands for any that is free. */
export function portOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new UsageError(`--port must be a whole number from 0 to 65535, not "${value}"`);
}

/** HTTP headers, each a name and a value with a colon between, and each name once, whatever its letter case. */
export function headersOf(lines: readonly string[] | undefined): Record<string, string> | undefined {
  if (lines === undefined) return undefined;
  const names = new Set<string>();
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    if (colon < 1) throw new UsageError("--header must be a name and a value, as in 'Accept-Language: de'");
    const name = line.slice(0, colon).trim();
    // Their values may be secrets.
    if (names.has(name.toLowerCase()))
      throw new UsageError(`--header must name each header once, and "${name}" comes again`);
    names.add(name.toLowerCase());
    return [name, line.slice(colon + 1).trim()] as const;
  });
  return Object.fromEntries(headers);
}

/** A JSON object. */
export function objectOf(flag: FlagName, value: string | undefined): Metadata | undefined {
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
