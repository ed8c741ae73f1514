import { realpath } from "node:fs/promises";
import { mergeConfig } from "../domain/merge-config.js";
import type { Engine } from "../engine/engine.js";
import { fingerprintConfig } from "../engine/pipeline-fingerprint.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Access } from "../storage/records/access.js";
import type { FolderKey } from "../storage/records/synced-files.js";
import type { CallOptions, IngestConfig, Metadata } from "../types.js";
import { ingestConfigSchema } from "../validation/ingest-config-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { syncedFolderSchema } from "../validation/synced-folder-schema.js";
import type { PutUpload } from "./read-file.js";

/** A folder to keep a namespace in sync with. */
export interface SyncedFolder {
  /** The path of the folder. */
  readonly dir: string;
  /**
   * Glob patterns relative to the folder; the name of a subfolder matches everything in it. A sync changes only
   * documents of files that match its patterns, so several syncs can share a folder. Other files are listed as
   * `excluded`.
   * @default every file
   */
  readonly include?: string | readonly string[] | undefined;
  /** Glob patterns of files to ignore, in addition to hidden files and `node_modules`. @default none */
  readonly exclude?: string | readonly string[] | undefined;
  /**
   * A name that identifies the folder if it is moved or synced from several machines.
   * @default the folder's absolute path with symbolic links resolved
   */
  readonly source?: string | undefined;
  /** Deletes the documents of files that the patterns don't match. @default false */
  readonly deleteExcluded?: boolean | undefined;
  /**
   * Allows a sync to delete all documents if the folder was replaced by a folder without any file to ingest. By default
   * such a sync fails, because the cause may be a disk that isn't mounted.
   * @default false
   */
  readonly allowEmpty?: boolean | undefined;
}

/**
 * How files are parsed and chunked. All files are ingested again if this config changes, or if they would be parsed
 * differently: with a version of Lorebase that changes how their format is parsed, or once text recognition is
 * installed.
 */
export interface SyncOptions<M = Metadata> extends CallOptions, IngestConfig<M> {}

/** The validated input of a sync. */
export interface SyncPlan {
  readonly root: string;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly deleteExcluded: boolean;
  readonly allowEmpty: boolean;
  readonly folder: FolderKey;
  readonly config: IngestConfig;
  /** The fingerprint of the config and the pipeline, which is recorded with each file. */
  readonly pipelineFingerprint: string;
}

export interface SyncContext {
  readonly engine: Engine;
  readonly access: Access;
  readonly put: PutUpload;
  readonly signal: AbortSignal | undefined;
  /** Whether failed documents of unchanged files are ingested again. */
  readonly retry: boolean;
  readonly onFolder?: ((folder: string) => void) | undefined;
}

/**
 * Validates the input of a sync.
 * @throws KnowledgeBaseError `invalid_input`; `not_found` if the folder does not exist
 */
export async function planSync(
  engine: Engine,
  access: Access,
  input: SyncedFolder,
  options: IngestConfig,
): Promise<SyncPlan> {
  const { dir, source, ...settings } = parseInput(syncedFolderSchema, input);
  const config = parseInput(ingestConfigSchema, options) as IngestConfig;
  // The config must also be valid once the path of a document is added.
  parseInput(ingestConfigSchema, configOf(config, "a"));
  const root = await realpath(dir).catch((cause: Error) => {
    throw new KnowledgeBaseError("not_found", `dir ${JSON.stringify(dir)} was not found: ${cause.message}`, {
      cause,
    });
  });
  const { namespaceId, tenantId } = access;
  const folder = {
    namespaceId,
    tenant: tenantId ?? "",
    root: source === undefined ? `dir:${root}` : `source:${source}`,
  };
  return { ...settings, root, folder, config, pipelineFingerprint: fingerprintConfig(engine, canonicalJson(config)) };
}

/** Returns a file's config. Its path in the folder becomes metadata, unless the caller's metadata has a `path`. */
export function configOf(config: IngestConfig, path: string): IngestConfig {
  const hasPath = config.metadata !== undefined && Object.hasOwn(config.metadata, "path");
  return hasPath ? config : mergeConfig(config, { metadata: { path } });
}

/** Returns JSON with sorted keys, which is the same for equal configs. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, nested: unknown) =>
    typeof nested === "object" && nested !== null && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  );
}
