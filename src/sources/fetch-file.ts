import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { KnowledgeBaseError } from "../errors.js";
import { FILE_RATE } from "../net/body-pace.js";
import type { FetchLimits } from "../net/fetch-limits.js";
import type { GuardedFetch } from "../net/guarded-fetch.js";
import { retryAfterMs } from "../net/retry-after.js";
import type { CallOptions } from "../types.js";
import { fetchedFileName } from "./file-name.js";

/** Right for a file of any size that is parsed, from a slow server too. */
const LIMITS: FetchLimits = {
  headersMs: 30_000,
  idleMs: 30_000,
  totalMs: 10 * 60_000,
  minimumRate: FILE_RATE,
  maxBytes: 200 * 1024 * 1024,
  maxRedirects: 5,
};

/** What a server says of a version of a file, as it stood in its headers. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface FetchedFile extends Validators {
  /** Bytes, as they came. */
  readonly size: number;
  /** Of the header or an address; null where neither names one. */
  readonly name: string | null;
  /** The header's; null where it says nothing of the file. */
  readonly contentType: string | null;
  /** SHA-256 in hex. */
  readonly sha256: string;
}

export interface FetchFileOptions extends CallOptions {
  /** Where the file is written. Nothing may be there before; what was written of a file that can't be had stays. */
  readonly path: string;
  /** Of the version that is here already. @default none */
  readonly known?: Validators | null;
}

/** Types that servers give to whatever they know nothing of. */
const SAYS_NOTHING = /^(?:application|binary)\/(?:octet-stream|x-download|force-download|unknown)\b/i;

/** Answers that another attempt may change (RFC 9110, section 15; RFC 6585 for 429; RFC 8470 for 425). */
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Fetches a file of up to 200 MB, decompressed, to the disk, within ten minutes and at a rate of at least {@link FILE_RATE}. Memory holds a
 * few pieces of it at a time. Null where the server says that it is still the known version.
 *
 * @param address With credentials, where it needs them: no message shows them, nor its query.
 * @throws KnowledgeBaseError `provider_failed` where it can't be had, retryable where it may be later; those of the guarded fetch
 */
export async function fetchFile(
  fetch: GuardedFetch,
  address: string,
  { path, known, signal }: FetchFileOptions,
): Promise<FetchedFile | null> {
  const response = await fetch(address, { headers: conditions(known), signal: signal ?? null, limits: LIMITS });
  if (response.status === 304 && known) return null;
  if (!response.ok) {
    await response.body?.cancel();
    throw refused(address, response);
  }
  const written = await writeBody(response, path);
  const { headers } = response;
  const contentType = headers.get("content-type");
  return {
    ...written,
    name: fetchedFileName(headers.get("content-disposition"), address, response.url),
    contentType: contentType === null || SAYS_NOTHING.test(contentType) ? null : contentType,
    etag: headers.get("etag"),
    lastModified: headers.get("last-modified"),
  };
}

async function writeBody({ body }: Response, path: string): Promise<Pick<FetchedFile, "size" | "sha256">> {
  const hash = createHash("sha256");
  let size = 0;
  async function* counted() {
    for await (const part of body ?? []) {
      hash.update(part);
      size += part.length;
      yield part;
    }
  }
  await writeFile(path, counted(), { flag: "wx", mode: 0o600 }).catch(unwritable);
  return { size, sha256: hash.digest("hex") };
}

/** A full disk may have room again; which file it was is nobody's business outside. */
function unwritable(error: unknown): never {
  if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error;
  const message = `A fetched file could not be written to disk: ${error.code}.`;
  throw new KnowledgeBaseError("store_failed", message, { retryable: true, cause: error });
}

/** RFC 9110, section 13.1: a server that knows entity tags looks at nothing else. */
function conditions(known: Validators | null | undefined): Record<string, string> {
  return {
    accept: "*/*",
    ...(known?.etag && { "if-none-match": known.etag }),
    ...(known?.lastModified && { "if-modified-since": known.lastModified }),
  };
}

function refused(address: string, { status, statusText, headers }: Response): KnowledgeBaseError {
  const { origin, pathname } = new URL(address);
  const retryable = TRANSIENT.has(status);
  return new KnowledgeBaseError("provider_failed", `${origin}${pathname} answered ${status} ${statusText}`.trim(), {
    retryable,
    vendorStatus: status,
    ...(retryable && { retryAfterMs: retryAfterMs(Object.fromEntries(headers), Date.now()) }),
  });
}
