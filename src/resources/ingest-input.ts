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

/** Files stored at a time: each waits for the disk. */
const WIDTH = 8;

/** The path of a local file, or bytes with a name. */
export type LocalFile =
  | string
  | { readonly name: string; readonly body: Bytes; readonly contentType?: string | undefined };

/** The content that `ingest` takes: a payload, or local files. */
export type IngestInput<M> =
  | IngestPayload<M>
  | { readonly file: LocalFile }
  /** Paths, folders and glob patterns, or files with bytes: at most 1000 files. Hidden files are ignored. */
  | { readonly files: string | readonly LocalFile[] };

/** Options of `ingest`: those of the job, and how its documents are parsed and chunked. */
export interface IngestOptions<M> extends CallOptions, IngestConfig<M> {
  /** A name for the job, shown in lists. */
  readonly name?: string | null | undefined;
  /** Your own id of the job, unique in the namespace and tenant. */
  readonly externalId?: string | null | undefined;
  /** What to do if a job has the external id, see {@link CreateIngestJobInput.onConflict}. @default "fail" */
  readonly onConflict?: CreateIngestJobInput<M>["onConflict"];
  /** Skips content that the namespace already has, see {@link CreateIngestJobInput.dedupe}. @default false */
  readonly dedupe?: boolean | undefined;
}

/** A job, and of each of its items the absolute path of the local file that it was read from, or null. */
export interface LocalJob<M> {
  readonly job: CreateIngestJobInput<M>;
  readonly sourcePaths: readonly (string | null)[];
}

type Put = (file: {
  fileName: string;
  contentType?: string | undefined;
  body: Bytes;
}) => Promise<{ readonly key: string }>;

/** Turns what `ingest` takes into a job, storing local files on the way. Nothing is stored where an option is wrong. */
export async function toCreateJob<M>(input: IngestInput<M>, options: IngestOptions<M>, put: Put): Promise<LocalJob<M>> {
  const { signal, ...given } = options;
  const { name, externalId, onConflict, dedupe, ...config } = parseInput(ingestOptionsSchema, given);
  signal?.throwIfAborted();
  const job = { name, externalId, onConflict, dedupe, config: config as IngestConfig<M> };
  const whatever: unknown = input;
  if (typeof whatever !== "object" || whatever === null) {
    throw refuse("payload", `must be a payload with a type, { file } or { files }, not ${preview(whatever)}`);
  }
  if ("type" in input) return { job: { ...job, payload: input }, sourcePaths: [] };
  if ("file" in input) {
    const payload = { type: "MANAGED_FILE" as const, ...(await store(input.file, put)) };
    return { job: { ...job, payload }, sourcePaths: [pathOf(input.file)] };
  }
  if (!("files" in input)) {
    throw refuse("payload", "must be a payload with a type, { file } or { files }");
  }
  const files = await expand(input.files);
  const { mapConcurrent } = await import("../util/map-concurrent.js");
  const items = await mapConcurrent(files, WIDTH, async (file) => {
    signal?.throwIfAborted();
    return { type: "MANAGED_FILE" as const, ...(await store(file, put)) };
  });
  return { job: { ...job, payload: { type: "BATCH", items } }, sourcePaths: files.map(pathOf) };
}

function pathOf(file: LocalFile): string | null {
  return typeof file === "string" ? resolve(file) : null;
}

async function store(file: LocalFile, put: Put): Promise<{ key: string; fileName: string }> {
  if (typeof file !== "string") {
    const { key } = await put({ fileName: file.name, contentType: file.contentType, body: file.body });
    return { key, fileName: file.name };
  }
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw refuse("file", `${JSON.stringify(file)} is not a file that can be read`);
  const fileName = basename(file);
  return { ...(await put({ fileName, body: contentOf(file) })), fileName };
}

/**
 * Opened when its first bytes are asked for: a file that is refused before leaves no handle open, and its failure has a
 * listener.
 */
async function* contentOf(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file);
}

async function expand(files: string | readonly LocalFile[]): Promise<readonly LocalFile[]> {
  const given = typeof files === "string" ? [files] : files;
  const expanded = await Promise.all(given.map((file) => (typeof file === "string" ? expandPath(file) : [file])));
  const paths = new Set<string>();
  const all = expanded.flat().filter((file) => typeof file !== "string" || (!paths.has(file) && paths.add(file)));
  if (all.length === 0) throw refuse("files", "must name at least one file");
  if (all.length > MAX_BATCH_ITEMS) {
    throw refuse("files", `match ${all.length} files; one job takes up to ${MAX_BATCH_ITEMS}: ingest them in parts`);
  }
  return all;
}

/**
 * A file is itself, a folder everything in it, and what doesn't exist is a pattern: one that matches nothing is
 * refused.
 */
async function expandPath(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile()) return [path];
  const { glob } = await import("tinyglobby");
  const matched = found?.isDirectory()
    ? (await glob("**", { cwd: path })).map((file) => join(path, file))
    : await glob(path.replaceAll("\\", "/"), { expandDirectories: false });
  if (matched.length === 0) throw refuse("files", `${JSON.stringify(path)} matches no file`);
  return matched.sort();
}

function refuse(field: string, message: string): KnowledgeBaseError {
  return new KnowledgeBaseError("invalid_input", `${field} ${message}`, { issues: [{ field, message }] });
}
