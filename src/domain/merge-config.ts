import type { ChunkingConfig, IngestConfig } from "../types.js";

/** Overrides a job's config with a batch item's, merging metadata by key. */
export function mergeConfig(job: IngestConfig, item: IngestConfig | undefined): IngestConfig {
  if (!item) return job;
  const metadata = job.metadata || item.metadata ? { metadata: { ...job.metadata, ...item.metadata } } : {};
  const merged = { ...job, ...item, ...metadata };
  return withChunking(merged, merged);
}

/**
 * Replaces all chunking options of a config. They come first and in one order, as in the config of a new job, since
 * configs are stored and compared as texts.
 */
export function withChunking(config: IngestConfig, chunking: ChunkingConfig): IngestConfig {
  const { chunkSize, chunkOverlap, maxChunkSize, delimiter } = chunking;
  return { chunkSize, chunkOverlap, maxChunkSize, delimiter, ...withoutChunking(config) };
}

/** Removes all chunking options from a config. */
export function withoutChunking(config: IngestConfig): IngestConfig {
  const { chunkSize, chunkOverlap, maxChunkSize, delimiter, ...others } = config;
  return others;
}
