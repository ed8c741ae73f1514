import type { IngestConfig } from "../types.js";

/** A batch item's config over its job's, metadata key by key. */
export function mergeConfig(job: IngestConfig, item: IngestConfig | undefined): IngestConfig {
  if (!item) return job;
  const metadata = job.metadata || item.metadata ? { metadata: { ...job.metadata, ...item.metadata } } : {};
  return { ...job, ...item, ...metadata };
}
