import { existsSync } from "node:fs";
import { join } from "node:path";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import { type KnowledgeBaseOptions, type S3BlobStore, s3 } from "../index.js";
import { resolveDirectory } from "./flag-values.js";
import type { FlagValues } from "./flags.js";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

type StorageOptions = Pick<KnowledgeBaseOptions, "database" | "sharedDirectory" | "blobs" | "readOnly"> & {
  readonly directory: string;
};

/** Returns the options for where a knowledge base is stored. */
export function parseStorageFlags(flags: FlagValues, terminal: Terminal): StorageOptions {
  const blobs = parseBlobs(flags, terminal);
  const database = parseDatabase(flags, terminal);
  return {
    directory: resolveDirectory(flags, terminal),
    ...(database && { database, sharedDirectory: flags["shared-directory"] === true }),
    ...(blobs && { blobs }),
    ...(flags["read-only"] && { readOnly: true }),
  };
}

/** The URL that `--database` or LOREBASE_DATABASE has; `undefined` without either. */
export function parseDatabase(flags: FlagValues, { env }: Terminal): string | undefined {
  return flags.database ?? (env.LOREBASE_DATABASE || undefined);
}

/** @throws KnowledgeBaseError `not_found` if no database is given, and the directory has no knowledge base */
export function parseExistingStorageFlags(flags: FlagValues, terminal: Terminal): StorageOptions {
  const options = parseStorageFlags(flags, terminal);
  const { directory, database } = options;
  if (database !== undefined || existsSync(join(directory, "lorebase.db"))) return options;
  const message = `there is no knowledge base in ${directory}: create one with lorebase ingest or lorebase serve`;
  throw new KnowledgeBaseError("not_found", message);
}

/**
 * Opens the bucket that `--blobs` or LOREBASE_BLOBS names, with the credentials in AWS_ACCESS_KEY_ID,
 * AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Returns `null` if none is named.
 */
export function parseBlobs({ blobs }: FlagValues, { env }: Terminal): S3BlobStore | null {
  const text = blobs ?? env.LOREBASE_BLOBS;
  if (!text) return null;
  const name = blobs === undefined ? "LOREBASE_BLOBS" : "--blobs";
  const url = URL.canParse(text) ? new URL(text) : null;
  if (text.includes("@"))
    throw new UsageError(`${name} must have no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`);
  if (url?.protocol !== "s3:" || url.hostname === "")
    throw new UsageError(`${name} must be a URL such as s3://bucket/prefix?region=eu-central-1, not "${text}"`);
  const { region, endpoint, ...unknown } = Object.fromEntries(url.searchParams);
  const [parameter] = Object.keys(unknown);
  if (parameter !== undefined)
    throw new UsageError(`${name} has the unknown parameter "${parameter}"; known: region, endpoint`);
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = env;
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError(`${name} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment`);
  try {
    return s3({
      bucket: url.hostname,
      prefix: url.pathname.replace(/^\//, ""),
      credentials: { accessKeyId, secretAccessKey, ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }) },
      ...(region && { region }),
      ...(endpoint && { endpoint }),
    });
  } catch (error) {
    throw new UsageError(`${name} is invalid: ${getErrorMessage(error)}`);
  }
}
