import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { isDiskFull, storageFullError } from "../domain/storage-full.js";
import { KnowledgeBaseError } from "../errors.js";
import { parseContentType } from "../net/content-type.js";
import type { FetchLimits } from "../net/fetch-limits.js";
import type { GuardedFetch } from "../net/guarded-fetch.js";
import { responseErrorOptions } from "../net/retry-after.js";
import { FILE_RATE } from "../net/transfer-rate.js";
import { conditionalHeaders, type Validators, validatorsOf } from "../net/validators.js";
import type { CallOptions } from "../types.js";
import { fetchedFileName } from "./file-name.js";

/** The limits allow any file that can be parsed, even from a slow server. */
const LIMITS: FetchLimits = {
  headersMs: 30_000,
  idleMs: 30_000,
  totalMs: 10 * 60_000,
  minimumRate: FILE_RATE,
  maxBytes: 200 * 1024 * 1024,
  maxRedirects: 5,
};

export interface FetchedFile extends Validators {
  /** The size in bytes. */
  readonly size: number;
  /** The file name from the `Content-Disposition` header or the URL; `null` if neither has a name. */
  readonly name: string | null;
  /** The `Content-Type` header; `null` if it is missing or generic. */
  readonly contentType: string | null;
  /** The SHA-256 of the file in hex. */
  readonly sha256: string;
}

export interface FetchFileOptions extends CallOptions {
  /** Where to write the file, which must not exist yet. After a failure, a partial file may remain. */
  readonly path: string;
  /** The validators of the last version fetched. @default none */
  readonly previous?: Validators | null;
}

/**
 * Streams a file of up to 200 MB (decompressed) to disk, within ten minutes and no slower than {@link FILE_RATE}.
 * Returns `null` if the server reports that the last version fetched is current.
 *
 * @param url A URL that may have credentials. Errors contain neither the credentials nor the query.
 * @throws KnowledgeBaseError `provider_failed` if the server doesn't send the file, and the errors of the guarded fetch
 */
export async function fetchFile(
  fetch: GuardedFetch,
  url: string,
  { path, previous, signal }: FetchFileOptions,
): Promise<FetchedFile | null> {
  const headers = { accept: "*/*", ...(previous && conditionalHeaders(previous)) };
  const response = await fetch(url, { headers, signal: signal ?? null, limits: LIMITS });
  if (response.status === 304 && previous) return null;
  if (!response.ok) {
    await response.body?.cancel();
    throw statusError(url, response);
  }
  const written = await writeBody(response, path);
  const contentType = response.headers.get("content-type");
  return {
    ...written,
    ...validatorsOf(response.headers),
    name: fetchedFileName(response.headers.get("content-disposition"), url, response.url),
    contentType: parseContentType(contentType).mimeType === null ? null : contentType,
  };
}

async function writeBody({ body }: Response, path: string): Promise<Pick<FetchedFile, "size" | "sha256">> {
  const hash = createHash("sha256");
  let size = 0;
  async function* measureChunks() {
    for await (const chunk of body ?? []) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  }
  await writeFile(path, measureChunks(), { flag: "wx", mode: 0o600 }).catch(throwStoreError);
  return { size, sha256: hash.digest("hex") };
}

/** Throws a retryable error, because a full disk may have space later. The error contains no local path. */
function throwStoreError(error: unknown): never {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error;
  if (isDiskFull(error)) throw storageFullError("temporary files", new Error(String(error.code), { cause: error }));
  const message = `Writing a fetched file to disk failed: ${error.code}.`;
  throw new KnowledgeBaseError("store_failed", message, { retryable: true, cause: error });
}

function statusError(url: string, response: Response): KnowledgeBaseError {
  const { origin, pathname } = new URL(url);
  const message = `${origin}${pathname} answered ${response.status} ${response.statusText}`.trim();
  return new KnowledgeBaseError("provider_failed", message, responseErrorOptions(response));
}
