import { readFile } from "node:fs/promises";
import { pipelineFingerprint } from "../engine/pipeline-fingerprint.js";
import { KnowledgeBaseError } from "../errors.js";
import { openValues } from "../secrets/sealed-values.js";
import { asUtf8 } from "../sources/as-utf8.js";
import { type FetchedFile, fetchFile } from "../sources/fetch-file.js";
import type { Origin } from "../storage/records/origins.js";
import type { FetchedSource, LoadContext } from "./load-context.js";
import { publishedOrigin } from "./published-origin.js";

/** Fetches the file of a FILE document to the given path, or learns that it is the one that the document was made from. */
export async function loadFile(
  context: LoadContext,
  { fileUrl }: { readonly fileUrl: string },
  path: string,
): Promise<FetchedSource> {
  const { engine, document } = context;
  const address = await openAddress(context, fileUrl);
  const made = pipelineFingerprint(engine, document.config);
  const known = await publishedOrigin(engine, document.seq, made);
  const fetched = await tryToFetch(context, address, { known, path });
  const fetchedAt = engine.now();
  if (fetched === null) return { unchanged: { ...known!, fetchedAt } };
  const { size, sha256: contentHash, etag, lastModified, contentType } = fetched;
  const origin = { etag, lastModified, contentHash, pipelineFingerprint: made, fetchedAt };
  if (known?.contentHash === contentHash) return { unchanged: origin };
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
        origin,
      };
    },
  };
}

/** Counts the tries: a file that can't be had is given up within minutes, unless its server asks for longer waits. */
async function tryToFetch(
  { engine, document, scope, signal }: LoadContext,
  address: string,
  file: { readonly known: Origin | null; readonly path: string },
): Promise<FetchedFile | null> {
  const { fetchTries, silentOrigins } = engine.outside;
  const { organizationId } = scope;
  const { origin } = new URL(address);
  const startedAt = engine.now();
  try {
    const refusal = silentOrigins.refusal(organizationId, origin, startedAt);
    if (refusal) throw refusal;
    const fetched = await fetchFromOrigin();
    fetchTries.succeeded(document.id);
    return fetched;
  } catch (error) {
    throw fetchTries.failed(document.id, error, { startedAt, now: engine.now() });
  }

  async function fetchFromOrigin(): Promise<FetchedFile | null> {
    let failure: unknown = null;
    try {
      return await fetchFile(engine.fetch, address, { ...file, signal });
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      silentOrigins.note(organizationId, origin, { error: failure, now: engine.now() });
    }
  }
}

/** The address with its credentials, which a document shows as masks only. */
async function openAddress({ engine, scope, jobId, document }: LoadContext, shown: string): Promise<string> {
  const { username, password } = new URL(shown);
  if (!username && !password) return shown;
  const { organizationId, namespaceId } = scope;
  const fields = ["fileUrl", `items[${document.item}].fileUrl`];
  const opened = await openValues(engine, { organizationId, namespaceId, owner: jobId }, fields);
  const [address] = opened.values();
  if (address === undefined) {
    throw new KnowledgeBaseError(
      "internal",
      `The credentials of ${withoutCredentials(shown)} are not in the database.`,
    );
  }
  return address;
}

function withoutCredentials(address: string): string {
  const url = new URL(address);
  if (!url.username && !url.password) return address;
  url.username = "";
  url.password = "";
  return url.href;
}
