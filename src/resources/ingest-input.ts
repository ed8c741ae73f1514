import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { KnowledgeBaseError } from "../errors.js";
import type { Bytes } from "../interfaces/blob-store.js";
import type { CallOptions, IngestConfig, IngestPayload } from "../types.js";
import { preview } from "../util/preview.js";
import { ingestOptionsSchema, MAX_BATCH_ITEMS } from "../validation/ingest-job-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { CreateIngestJobInput } from "./ingest-jobs.js";

/** The number of files stored at a time. Each waits for the disk. */
const CONCURRENCY = 8;

/** The path of a local file, or bytes with a name. */
export type LocalFile =
  | string
  | { readonly name: string; readonly body: Bytes; readonly contentType?: string | undefined };

/** The content to ingest: a payload or local files. */
export type IngestInput<M> =
  | IngestPayload<M>
  | { readonly file: LocalFile }
  /** Paths of files and folders, glob patterns, or bytes with names: at most 1000 files. Ignores hidden files. */
  | { readonly files: string | readonly LocalFile[] };

/** Options of `ingest`: the options of the job, and how its documents are parsed and chunked. */
export interface IngestOptions<M> extends CallOptions, IngestConfig<M> {
  /** A name for the job, shown in lists. */
  readonly name?: string | null | undefined;
  /** Your own id for the job, unique in the namespace and tenant. */
  readonly externalId?: string | null | undefined;
  /** What to do if the external id is taken, see {@link CreateIngestJobInput.onConflict}. @default "fail" */
  readonly onConflict?: CreateIngestJobInput<M>["onConflict"];
  /** Skips content that the namespace already has, see {@link CreateIngestJobInput.dedupe}. @default false */
  readonly dedupe?: boolean | undefined;
}

/** A job, and the absolute path of the local file that each item was read from; `null` for other items. */
export interface LocalJob<M> {
  readonly job: CreateIngestJobInput<M>;
  readonly sourcePaths: readonly (string | null)[];
}

type Put = (file: {
  fileName: string;
  contentType?: string | undefined;
  body: Bytes;
}) => Promise<{ readonly key: string }>;

/** Stores the local files of an input and returns the job that ingests it. Stores nothing if an option is invalid. */
export async function toLocalJob<M>(input: IngestInput<M>, options: IngestOptions<M>, put: Put): Promise<LocalJob<M>> {
  const { signal, ...jobOptions } = options;
  const { name, externalId, onConflict, dedupe, ...config } = parseInput(ingestOptionsSchema, jobOptions);
  signal?.throwIfAborted();
  const job = { name, externalId, onConflict, dedupe, config: config as IngestConfig<M> };
  const value: unknown = input;
  if (typeof value !== "object" || value === null) {
    throw inputError("payload", `must be a payload with a type, { file } or { files }, not ${preview(value)}`);
  }
  if ("type" in input) return { job: { ...job, payload: input }, sourcePaths: [] };
  if ("file" in input) {
    const payload = { type: "MANAGED_FILE" as const, ...(await storeFile(input.file, put)) };
    return { job: { ...job, payload }, sourcePaths: [sourcePath(input.file)] };
  }
  if (!("files" in input)) {
    throw inputError("payload", "must be a payload with a type, { file } or { files }");
  }
  const files = await expandFiles(input.files);
  const { mapConcurrent } = await import("../util/map-concurrent.js");
  const items = await mapConcurrent(files, CONCURRENCY, async (file) => {
    signal?.throwIfAborted();
    return { type: "MANAGED_FILE" as const, ...(await storeFile(file, put)) };
  });
  return { job: { ...job, payload: { type: "BATCH", items } }, sourcePaths: files.map(sourcePath) };
}

function sourcePath(file: LocalFile): string | null {
  return typeof file === "string" ? resolve(file) : null;
}

async function storeFile(file: LocalFile, put: Put): Promise<{ key: string; fileName: string }> {
  if (typeof file !== "string") {
    const { key } = await put({ fileName: file.name, contentType: file.contentType, body: file.body });
    return { key, fileName: file.name };
  }
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw inputError("file", `${JSON.stringify(file)} is not a readable file`);
  const fileName = basename(file);
  return { ...(await put({ fileName, body: readContent(file) })), fileName };
}

/**
 * Opens the file only when its first bytes are read, so that no handle stays open if the file is refused before that,
 * and every error has a listener.
 */
async function* readContent(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file);
}

async function expandFiles(files: string | readonly LocalFile[]): Promise<readonly LocalFile[]> {
  const entries = typeof files === "string" ? [files] : files;
  const expanded = await Promise.all(entries.map((file) => (typeof file === "string" ? expandPath(file) : [file])));
  const paths = new Set<string>();
  const all = expanded.flat().filter((file) => typeof file !== "string" || (!paths.has(file) && paths.add(file)));
  if (all.length === 0) throw inputError("files", "must name at least one file");
  if (all.length > MAX_BATCH_ITEMS) {
    throw inputError("files", `must be at most ${MAX_BATCH_ITEMS}, not ${all.length}: ingest them with several jobs`);
  }
  return all;
}

/**
 * Returns the path of a file as it is, and the paths of all files in a folder. A path that doesn't exist is treated as
 * a glob pattern.
 * @throws KnowledgeBaseError `invalid_input` if there is no file
 */
async function expandPath(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile()) return [path];
  const { glob } = await import("tinyglobby");
  const matched = found?.isDirectory()
    ? (await glob("**", { cwd: path })).map((file) => join(path, file))
    : await glob(path.replaceAll("\\", "/"), { expandDirectories: false });
  if (matched.length === 0) throw inputError("files", `${JSON.stringify(path)} matches no file`);
  return matched.sort();
}

function inputError(field: string, message: string): KnowledgeBaseError {
  return new KnowledgeBaseError("invalid_input", `${field} ${message}`, { issues: [{ field, message }] });
}
