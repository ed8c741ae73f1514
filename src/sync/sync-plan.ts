import { realpath } from "node:fs/promises";
import { mergeConfig } from "../domain/merge-config.js";
import type { Engine } from "../engine/engine.js";
import { fingerprintPipeline } from "../engine/pipeline-fingerprint.js";
import { KnowledgeBaseError } from "../errors.js";
import type { Access } from "../storage/records/access.js";
import type { FolderKey } from "../storage/records/synced-files.js";
import type { CallOptions, IngestConfig, Metadata } from "../types.js";
import { ingestConfigSchema } from "../validation/ingest-config-schema.js";
import { parseInput } from "../validation/parse-input.js";
import { syncedFolderSchema } from "../validation/synced-folder-schema.js";
import type { PutUpload } from "./read-file.js";

/** A folder with which a namespace is kept in sync. */
export interface SyncedFolder {
  /** The path of the folder. */
  readonly dir: string;
  /**
   * Glob patterns relative to the folder; the name of a subfolder stands for everything in it. A sync changes only
   * documents of files that its patterns match, so several syncs can share a folder. Others are listed as `excluded`.
   * @default every file
   */
  readonly include?: string | readonly string[] | undefined;
  /** Glob patterns of files to ignore, in addition to hidden files and `node_modules`. @default none */
  readonly exclude?: string | readonly string[] | undefined;
  /**
   * A name that identifies the folder, for folders that are moved or synced from several machines.
   * @default its absolute path with symbolic links resolved
   */
  readonly source?: string | undefined;
  /** Deletes the documents of files that the patterns don't match. @default false */
  readonly deleteExcluded?: boolean | undefined;
  /**
   * Allows a sync to delete all documents if the folder was replaced by one without any file to ingest. By default that
   * fails, since the cause may be a disk that isn't mounted.
   * @default false
   */
  readonly allowEmpty?: boolean | undefined;
}

/**
 * How files are parsed and chunked. All files are ingested again if this config changes, and if the result of parsing
 * does: with a version of Lorebase that parses their format differently, or once text recognition is installed.
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
  /** Recorded with each file. */
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

/** @throws KnowledgeBaseError `invalid_input`; `not_found` if the folder does not exist */
export async function planSync(
  engine: Engine,
  access: Access,
  input: SyncedFolder,
  options: IngestConfig,
): Promise<SyncPlan> {
  const { dir, source, ...settings } = parseInput(syncedFolderSchema, input);
  const config = parseInput(ingestConfigSchema, options) as IngestConfig;
  // The config of each document, with its path added, must be valid too.
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
  return { ...settings, root, folder, config, pipelineFingerprint: fingerprintPipeline(engine, canonicalJson(config)) };
}

/** A file's config. Its path relative to the folder becomes metadata, unless the caller sets a `path`. */
export function configOf(config: IngestConfig, path: string): IngestConfig {
  const hasPath = config.metadata !== undefined && Object.hasOwn(config.metadata, "path");
  return hasPath ? config : mergeConfig(config, { metadata: { path } });
}

/** JSON with sorted keys: equal for equal configs. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, nested: unknown) =>
    typeof nested === "object" && nested !== null && !Array.isArray(nested)
      ? Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)))
      : nested,
  );
}
