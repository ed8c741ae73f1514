import type { Origin } from "../database/procedures/origins.js";
import { KnowledgeBaseError } from "../errors.js";
import { openValues } from "../sealed-values.js";
import { asUtf8 } from "../sources/as-utf8.js";
import { fetchFile } from "../sources/fetch-file.js";
import type { LoadContext, LoadedSource } from "./load-source.js";
import { madeWith } from "./made-with.js";
import { publishedOrigin } from "./published-origin.js";

/** Fetches the file of a FILE document, or learns that it is the one that the document was made from. */
export async function loadFile(
  context: LoadContext,
  { fileUrl }: { readonly fileUrl: string },
): Promise<LoadedSource | { readonly unchanged: Origin }> {
  const { engine, document, signal } = context;
  const address = await openAddress(context, fileUrl);
  const made = madeWith(engine, document.config);
  const known = await publishedOrigin(engine, document.seq, made);
  const fetched = await fetchFile(engine.fetch, address, { known, signal });
  const fetchedAt = engine.now();
  if (fetched === null) return { unchanged: { ...known!, fetchedAt } };
  const { bytes, sha256: contentHash, etag, lastModified, contentType } = fetched;
  const origin = { etag, lastModified, contentHash, madeWith: made, fetchedAt };
  if (known?.contentHash === contentHash) return { unchanged: origin };
  const fileName = document.nameGiven ? document.name : fetched.name;
  return {
    file: { name: fileName, mimeType: contentType, bytes: asUtf8(bytes, contentType) },
    fileName,
    url: withoutCredentials(fileUrl),
    fileSize: bytes.length,
    contentHash,
    origin,
  };
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
