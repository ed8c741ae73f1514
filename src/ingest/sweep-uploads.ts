import type { Engine } from "../engine/engine.js";
import { removeUpload } from "../engine/remove-upload.js";

/** Removes uploads that have expired and that neither a document nor a job still to run uses. */
export async function sweepUploads(engine: Engine): Promise<void> {
  const expired = await engine.database.read<{ key: string }>({
    sql: `SELECT u.key FROM uploads u WHERE u.expires_at < ? AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.source_key = u.key)
      AND NOT EXISTS (SELECT 1 FROM ingest_jobs j JOIN ingest_job_payloads p ON p.ingest_job_seq = j.seq
        WHERE j.namespace_id = u.namespace_id AND j.documents_known = 0 AND instr(p.payload, u.key) > 0)`,
    parameters: [engine.now()],
  });
  for (const { key } of expired) {
    // Asked again where no job can come in between: one may have named it since.
    if (await engine.database.change("retireUpload", { key })) await removeUpload(engine, key);
  }
}
