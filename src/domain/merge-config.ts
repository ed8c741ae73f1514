import type { IngestConfig } from "../types.js";

/** Overrides a job's config with a batch item's, merging metadata by key. */
export function mergeConfig(job: IngestConfig, item: IngestConfig | undefined): IngestConfig {
  if (!item) return job;
  const metadata = job.metadata || item.metadata ? { metadata: { ...job.metadata, ...item.metadata } } : {};
  return { ...job, ...item, ...metadata };
}
