import type { ParseConfig } from "../interfaces/parser.js";
import type { PreparedDocument } from "../parse-workers/preparer.js";
import type { DocumentSource, IngestConfig } from "../types.js";
import { resolveChunkSizes } from "../validation/ingest-config-schema.js";
import type { DocumentProgress } from "./document-progress.js";
import { toHashedFile } from "./hashed-file.js";
import type { JobContext } from "./job-context.js";
import type { LoadedSource } from "./load-context.js";
import { tracePreparation } from "./trace-preparation.js";

/** A parsed and chunked source, without its bytes. */
export interface PreparedSource {
  readonly source: Omit<LoadedSource, "file"> & { readonly contentHash: string };
  readonly prepared: PreparedDocument;
}

/** Whether more than the first pages are parsed. */
export function isWhole({ prepared }: PreparedSource): boolean {
  return prepared.readPages === undefined;
}

interface PreparationOptions {
  readonly progress: DocumentProgress;
  /** Whether to count the tokens of every chunk. @default false */
  readonly countAll?: boolean;
  /** Whether only the first pages of a long document may be read. @default false */
  readonly firstPages?: boolean;
}

/** Loads, parses and chunks a source. */
export async function prepareSource(
  job: JobContext,
  { type }: DocumentSource,
  config: IngestConfig,
  load: () => Promise<LoadedSource>,
  { progress, countAll = false, firstPages = false }: PreparationOptions,
): Promise<PreparedSource> {
  const { engine, embedder, slot, signal } = job;
  let loaded: { readonly source: Omit<LoadedSource, "file">; sha256(): string } | null = null;
  const read = async () => {
    const { file, ...source } = await load();
    const { contentHash } = source;
    const hashed = contentHash === undefined ? toHashedFile(file) : { file, sha256: () => contentHash };
    loaded = { source, sha256: hashed.sha256 };
    return hashed.file;
  };
  const run = () =>
    engine.preparer.prepare(read, {
      signal,
      countAll,
      firstPages,
      onPages: (pages) => progress.readPages(pages),
      parse: parseConfig(config),
      // Pages of a site share navigation, which is removed. A file that the caller chose is parsed completely.
      mainContent: type === "CRAWLED_PAGE",
      chunk: {
        ...resolveChunkSizes(config),
        delimiter: config.delimiter ?? null,
        maxTokens: embedder.embedder.maxInputTokens,
        countTokens: embedder.countTokens,
      },
    });
  const usesModel = config.useLlm === true && engine.options.languageModel !== undefined;
  const prepared = await tracePreparation(() => (usesModel ? slot.pauseWork("service", run, signal) : run()));
  const { source, sha256 } = loaded!;
  return { source: { ...source, contentHash: sha256() }, prepared };
}

function parseConfig(config: IngestConfig): ParseConfig {
  const { chunkSize, chunkOverlap, maxChunkSize, delimiter, metadata, ...parseOptions } = config;
  return parseOptions;
}
