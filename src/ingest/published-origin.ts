import type { Engine } from "../engine/engine.js";
import type { Origin } from "../storage/records/origins.js";

/**
 * What a document's published generation was made from; null where there is none, or where the same source would be made into something
 * else now.
 */
export async function publishedOrigin(
  { storage }: Pick<Engine, "storage">,
  documentSeq: number,
  pipelineFingerprint: string,
): Promise<Origin | null> {
  return (await storage.documents.origin({ documentSeq, pipelineFingerprint })) ?? null;
}
