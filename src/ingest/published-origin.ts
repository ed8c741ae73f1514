import type { Engine } from "../engine/engine.js";
import type { Origin } from "../storage/records/origins.js";

/**
 * What a document's published generation was made from; null where there is none, or where the same source would be made into something
 * else now.
 */
export async function publishedOrigin(
  { database }: Pick<Engine, "database">,
  documentSeq: number,
  pipelineFingerprint: string,
): Promise<Origin | null> {
  const [origin] = await database.read<Origin>({
    sql: `SELECT o.etag, o.last_modified AS lastModified, o.content_hash AS contentHash, o.made_with AS pipelineFingerprint,
        o.fetched_at AS fetchedAt
      FROM origins o JOIN documents d ON d.seq = o.document_seq AND d.generation > 0
      WHERE o.document_seq = ? AND o.made_with = ?`,
    parameters: [documentSeq, pipelineFingerprint],
  });
  return origin ?? null;
}
