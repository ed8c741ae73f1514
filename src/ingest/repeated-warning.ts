import type { RepeatedFile } from "../storage/records/expand-job.js";

const MAX_SHOWN = 5;

/** Returns the warning about local files that now have two documents. */
export function repeatedWarning(repeated: readonly RepeatedFile[]): string {
  const shownFiles = repeated
    .slice(0, MAX_SHOWN)
    .map(({ path, earlierId, documentId }) => `${JSON.stringify(path)} (${earlierId} and now ${documentId})`);
  const more = repeated.length > MAX_SHOWN ? ` and ${repeated.length - MAX_SHOWN} more` : "";
  return (
    `${repeated.length === 1 ? "A file was" : `${repeated.length} files were`} ingested again and ` +
    `${repeated.length === 1 ? "has" : "have"} two documents, ${shownFiles.join(", ")}${more}. ` +
    'To keep one document per file, use sync for a folder, an externalId with onConflict "replace", or dedupe for files that have not changed.'
  );
}
