import { readFile } from "node:fs/promises";
import { fingerprintPipeline } from "../engine/pipeline-fingerprint.js";
import { KnowledgeBaseError } from "../errors.js";
import { unsealValues } from "../secrets/sealed-values.js";
import { asUtf8 } from "../sources/as-utf8.js";
import { type FetchedFile, fetchFile } from "../sources/fetch-file.js";
import type { SourceVersion } from "../storage/records/source-versions.js";
import type { FetchedSource, LoadContext } from "./load-context.js";

/** Fetches the file of a FILE document to the given path, or finds that the file is unchanged. */
export async function loadFile(
  context: LoadContext,
  { fileUrl }: { readonly fileUrl: string },
  path: string,
): Promise<FetchedSource> {
  const { engine, document } = context;
  const url = await unmaskUrl(context, fileUrl);
  const pipelineFingerprint = fingerprintPipeline(engine, document.config);
  const previous = await engine.storage.documents.getSourceVersion({ documentSeq: document.seq, pipelineFingerprint });
  const fetched = await fetchWithRetryLimit(context, url, { previous: previous ?? null, path });
  const fetchedAt = engine.now();
  if (fetched === null) return { unchanged: { ...previous!, fetchedAt } };
  const { size, sha256: contentHash, etag, lastModified, contentType } = fetched;
  const sourceVersion = { etag, lastModified, contentHash, pipelineFingerprint, fetchedAt };
  if (previous?.contentHash === contentHash) return { unchanged: sourceVersion };
  const fileName = document.nameGiven ? document.name : fetched.name;
  return {
    async load() {
      const bytes = asUtf8(await readFile(path), contentType);
      return {
        file: { name: fileName, mimeType: contentType, bytes },
        fileName,
        url: withoutCredentials(fileUrl),
        fileSize: size,
        contentHash,
        sourceVersion,
      };
    },
  };
}

/** Counts attempts, so that an unavailable file fails within minutes unless its server asks for longer waits. */
async function fetchWithRetryLimit(
  { engine, document, scope, signal }: LoadContext,
  url: string,
  file: { readonly previous: SourceVersion | null; readonly path: string },
): Promise<FetchedFile | null> {
  const { fetchRetries, originBreaker } = engine.fetching;
  const { organizationId } = scope;
  const { origin } = new URL(url);
  const startedAt = engine.now();
  try {
    const openError = originBreaker.errorIfOpen(organizationId, origin, startedAt);
    if (openError) throw openError;
    const fetched = await fetchFromOrigin();
    fetchRetries.recordSuccess(document.id);
    return fetched;
  } catch (error) {
    throw fetchRetries.recordFailure(document.id, error, { startedAt, now: engine.now() });
  }

  async function fetchFromOrigin(): Promise<FetchedFile | null> {
    let failure: unknown = null;
    try {
      return await fetchFile(engine.fetch, url, { ...file, signal });
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      originBreaker.record(organizationId, origin, { error: failure, now: engine.now() });
    }
  }
}

/** Returns the URL with the credentials, which are masked in the document. */
async function unmaskUrl({ engine, scope, jobId, document }: LoadContext, maskedUrl: string): Promise<string> {
  const { username, password } = new URL(maskedUrl);
  if (!username && !password) return maskedUrl;
  const { organizationId, namespaceId } = scope;
  const fields = ["fileUrl", `items[${document.item}].fileUrl`];
  const secrets = await unsealValues(engine, { organizationId, namespaceId, ownerId: jobId }, fields);
  const [url] = secrets.values();
  if (url === undefined) {
    throw new KnowledgeBaseError(
      "internal",
      `The credentials of ${withoutCredentials(maskedUrl)} are missing from the database.`,
    );
  }
  return url;
}

function withoutCredentials(url: string): string {
  const parsed = new URL(url);
  if (!parsed.username && !parsed.password) return url;
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}
