import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { jobDocuments, type NewDocument } from "./job-documents.js";

/** A job's content, as JSON. */
export interface JobContent {
  readonly payload: string;
  readonly config: string;
  readonly source_paths: string | null;
}

/** The documents that a job's payload lists, with what is known of their files; `null` if they must be discovered. */
export function* plannedDocuments(tx: Tx, job: JobContent): Operation<readonly NewDocument[] | null> {
  const documents = jobDocuments(JSON.parse(job.payload), JSON.parse(job.config));
  const paths: readonly (string | null)[] = job.source_paths === null ? [] : JSON.parse(job.source_paths);
  if (documents === null) return null;
  const planned: NewDocument[] = [];
  for (const document of documents) {
    planned.push({ ...(yield* withUpload(tx, document)), sourcePath: paths[document.item] ?? null });
  }
  return planned;
}

/** The name, size and type of a managed file are known before it is parsed, and are shown even if parsing fails. */
function* withUpload(tx: Tx, document: NewDocument): Operation<NewDocument> {
  if (document.sourceKey === null) return document;
  const upload = yield* tx.get<{ file_name: string; file_size: number; content_type: string; sha256: string | null }>(
    "SELECT file_name, file_size, content_type, sha256 FROM uploads WHERE key = ?",
    document.sourceKey,
  );
  if (!upload) return document;
  const { file_name, file_size, content_type, sha256 } = upload;
  const name = document.name ?? file_name;
  return { ...document, name, fileSize: file_size, mimeType: content_type, contentHash: sha256 };
}
