import type { Engine } from "../engine/engine.js";
import type { Origin } from "../storage/records/origins.js";

/**
 * The origin of a document's published generation; `null` if there is none, or if the current pipeline would produce
 * another result from the same source.
 */
export async function publishedOrigin(
  { storage }: Pick<Engine, "storage">,
  documentSeq: number,
  pipelineFingerprint: string,
): Promise<Origin | null> {
  return (await storage.documents.origin({ documentSeq, pipelineFingerprint })) ?? null;
}
