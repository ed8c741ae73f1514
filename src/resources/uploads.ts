import { randomBytes } from "node:crypto";
import type { Engine } from "../engine/engine.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { type InputIssue, KnowledgeBaseError } from "../errors.js";
import type { Bytes } from "../interfaces/blob-store.js";
import type { Access } from "../storage/records/access.js";
import type { CallOptions } from "../types.js";
import { preview } from "../util/preview.js";
import { parseInput } from "../validation/parse-input.js";
import {
  createUploadSchema,
  createUploadsSchema,
  MAX_UPLOAD_BYTES,
  putUploadSchema,
} from "../validation/upload-schema.js";
import { type Grant, invalidUrlError, requireSignature, signUrl } from "./signed-url.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long one sender may take. After that, the URL can be used again, in case the sender has crashed. */
const CLAIM_MS = 15 * MINUTE_MS;
/** How long an upload URL is valid. */
const URL_LIFETIME_MS = HOUR_MS;
/** How long a file that no document uses is kept. */
const UNUSED_LIFETIME_MS = 24 * HOUR_MS;
const FREE_PLAN_BYTES = 5 * 1024 * 1024;

export interface CreateUploadInput {
  readonly fileName: string;
  readonly contentType: string;
  /** The size in bytes. */
  readonly fileSize: number;
  /**
   * The SHA-256 of the content, as 64 hexadecimal digits. Content with another one isn't accepted.
   * @default none: only the size is checked
   */
  readonly sha256?: string | undefined;
}

export interface Upload {
  /** The URL to PUT the bytes to, once, within an hour, with the declared content type. */
  readonly url: string;
  /** The key for a `MANAGED_FILE` payload. */
  readonly key: string;
}

/** The parameters of a signed upload URL, and the headers of the request. */
export interface SignedUpload {
  readonly key: string;
  /** When the URL expires, in milliseconds since the epoch. */
  readonly expires: number;
  readonly signature: string;
  /** The request's content type. If given, it must be the announced content type. */
  readonly contentType?: string | undefined;
  /** The request's content length. If given, it must be the announced size. */
  readonly size?: number | undefined;
}

/** Uploaded files for `MANAGED_FILE` payloads. Each file belongs to a namespace. */
export class Uploads {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /**
   * Announces a file, and returns the URL to which to send it.
   * @throws KnowledgeBaseError `invalid_input`, `limit_exceeded`
   */
  async create(namespace: string, file: CreateUploadInput, options: CallOptions = {}): Promise<Upload> {
    const [upload] = await this.#announce(namespace, [parseInput(createUploadSchema, file)], () => "", options);
    return upload!;
  }

  /** Announces 1 to 100 files. Either all of them are accepted or none. */
  async createBatch(
    namespace: string,
    files: readonly CreateUploadInput[],
    options: CallOptions = {},
  ): Promise<readonly Upload[]> {
    return this.#announce(
      namespace,
      parseInput(createUploadsSchema, { files }).files,
      (index) => `files[${index}].`,
      options,
    );
  }

  /** Stores a file of up to 200 MB directly. */
  async put(
    namespace: string,
    file: { readonly fileName: string; readonly contentType?: string | undefined; readonly body: Bytes },
    options: CallOptions = {},
  ): Promise<{ readonly key: string }> {
    const { body, ...rest } = file;
    checkBody(body);
    const { fileName, contentType } = parseInput(putUploadSchema, rest);
    const { engine, access } = await this.#resolve(namespace);
    const key = newKey(access);
    const now = engine.now();
    // Stores the record first, as pending, so that the sweeper finds the file if the process crashes in between.
    await announceUploads(engine, access, [{ key, fileName, contentType, fileSize: 0 }], now);
    await storeFile(engine, key, body, { ...options, maxBytes: MAX_UPLOAD_BYTES });
    return { key };
  }

  async #announce(
    namespace: string,
    files: readonly CreateUploadInput[],
    fieldPrefix: (index: number) => string,
    options: CallOptions,
  ): Promise<readonly Upload[]> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const limit = await getUploadLimit(engine, access);
    throwProblems(files.flatMap((file, index) => findProblems(engine, file, fieldPrefix(index), limit)));
    const now = engine.now();
    const uploads = files.map((file) => ({ ...file, key: newKey(access) }));
    const urls = await Promise.all(uploads.map((upload) => signUpload(engine, access, upload, now + URL_LIFETIME_MS)));
    await announceUploads(engine, access, uploads, now);
    return uploads.map(({ key }, index) => ({ key, url: urls[index]! }));
  }
}

type NewUpload = CreateUploadInput & { readonly key: string };

async function announceUploads(
  { storage }: Engine,
  { namespaceId }: Access,
  uploads: readonly NewUpload[],
  now: number,
): Promise<void> {
  const rows = uploads.map((upload) => ({ ...upload, sha256: upload.sha256 ?? null }));
  await storage.uploads.create({ namespaceId, uploads: rows, now, expiresAt: now + UNUSED_LIFETIME_MS });
}

async function signUpload(engine: Engine, access: Access, upload: NewUpload, expires: number): Promise<string> {
  const { key, contentType, fileSize: size } = upload;
  if (!engine.blobs.presign)
    return signUrl(engine, `/v1/blobs/${key}`, uploadGrant(upload, expires, access.organizationId));
  const expiresInSeconds = URL_LIFETIME_MS / 1000;
  return engine.blobs.presign(key, { method: "PUT", contentType, size, expiresInSeconds });
}

function uploadGrant(upload: Omit<NewUpload, "fileName" | "sha256">, expires: number, organizationId: string): Grant {
  const { key, contentType, fileSize } = upload;
  return { kind: "upload", expires, signedValues: ["PUT", key, expires, contentType, fileSize, organizationId] };
}

/**
 * Stores the bytes sent to an upload URL, once, if they have the announced size. No authorization is needed besides the
 * signature.
 * @throws KnowledgeBaseError, the first that applies: `forbidden` if the URL was altered or has expired, `conflict` if
 * the URL was used or is in use, `invalid_input` if the content type, size or SHA-256 is not as announced
 */
export async function receiveUpload(
  engine: Engine,
  { key, expires, signature, contentType, size }: SignedUpload,
  body: Bytes,
  options: CallOptions,
): Promise<void> {
  const row = await engine.storage.uploads.getWithOrganization({ key });
  if (!row) throw invalidUrlError("upload");
  const announced = { key, contentType: row.contentType, fileSize: row.fileSize };
  requireSignature(engine, uploadGrant(announced, expires, row.organizationId), signature);
  if (row.state === "stored") throw usedUrlError();
  checkHeaders(announced, { contentType, size });
  const { fileSize, sha256 } = row;
  await storeFile(engine, key, body, { ...options, maxBytes: fileSize, expected: { size: fileSize, sha256 } });
}

/** Checks the request's headers before any byte is read. */
function checkHeaders(
  announced: { readonly contentType: string; readonly fileSize: number },
  { contentType, size }: Pick<SignedUpload, "contentType" | "size">,
): void {
  if (contentType !== undefined && normalizeMediaType(contentType) !== normalizeMediaType(announced.contentType)) {
    const message = `is ${preview(contentType)}, but ${preview(announced.contentType)} was announced`;
    throw new KnowledgeBaseError("invalid_input", `contentType ${message}`, {
      issues: [{ field: "contentType", message }],
    });
  }
  if (size !== undefined && size !== announced.fileSize) throw sizeError("size", size, announced.fileSize);
}

/** Makes media types comparable, regardless of letter case and of white space around their parameters. */
function normalizeMediaType(mediaType: string): string {
  return mediaType
    .trim()
    .toLowerCase()
    .replace(/\s*;\s*/g, ";");
}

function sizeError(field: string, size: number, announced: number): KnowledgeBaseError {
  const message = `The upload has ${size} bytes, but ${announced} were announced.`;
  return new KnowledgeBaseError("invalid_input", message, { issues: [{ field, message }] });
}

function hashError(sha256: string, announced: string): KnowledgeBaseError {
  const message = `The upload has the SHA-256 ${sha256}, but ${announced} was announced.`;
  return new KnowledgeBaseError("invalid_input", message, { issues: [{ field: "body", message }] });
}

function usedUrlError(): KnowledgeBaseError {
  return new KnowledgeBaseError(
    "conflict",
    "The upload URL has already been used or is in use. Create a new upload to send the file again.",
  );
}

function checkBody(body: Bytes): void {
  const value: unknown = body;
  const isStream =
    typeof value === "object" && value !== null && (Symbol.asyncIterator in value || "getReader" in value);
  if (value instanceof Uint8Array || value instanceof Blob || isStream) return;
  const message = `must be bytes, a Blob or a stream of bytes, not a ${value === null ? "null" : typeof value}`;
  throw new KnowledgeBaseError("invalid_input", `body ${message}`, { issues: [{ field: "body", message }] });
}

interface ExpectedContent {
  readonly size: number;
  /** `null` if none was announced. */
  readonly sha256: string | null;
}

/** Claims the key, so that only one of two senders succeeds, and writes the file. A failure removes file and claim. */
async function storeFile(
  engine: Engine,
  key: string,
  body: Bytes,
  { maxBytes, expected, signal }: CallOptions & { readonly maxBytes: number; readonly expected?: ExpectedContent },
): Promise<void> {
  const { uploads } = engine.storage;
  const now = engine.now();
  const claimedUntil = now + CLAIM_MS;
  if (!(await uploads.claim({ key, now, claimedUntil }))) throw usedUrlError();
  // Writing must stop before the claim expires, because another sender may then send the file.
  const claimExpiry = AbortSignal.timeout(CLAIM_MS - MINUTE_MS);
  try {
    const { size, sha256 } = await engine.blobs.put(key, body, {
      signal: signal ? AbortSignal.any([signal, claimExpiry]) : claimExpiry,
      maxBytes,
    });
    if (expected && size !== expected.size) throw sizeError("body", size, expected.size);
    if (expected && sha256 !== (expected.sha256 ?? sha256)) throw hashError(sha256, expected.sha256!);
    // If the record was deleted with its namespace, the file must be removed here.
    if (!(await uploads.finish({ key, claimedUntil, fileSize: size, sha256 })))
      throw new KnowledgeBaseError("not_found", "The upload's namespace has been deleted.");
  } catch (error) {
    // A failure of the cleanup must not hide the original error.
    const report = (cleanupError: unknown) => engine.events.emit({ type: "error", error: cleanupError });
    await engine.blobs.delete(key).catch(report);
    await uploads.release({ key, claimedUntil }).catch(report);
    throw error;
  }
}

/** Returns a new key, which contains nothing that the caller has chosen. */
function newKey(access: Access): string {
  return `${access.namespaceId}/${randomBytes(16).toString("hex")}`;
}

async function getUploadLimit(engine: Engine, access: Access): Promise<number> {
  const organization = await engine.storage.organizations.get({ id: access.organizationId });
  return organization?.plan === "free" ? FREE_PLAN_BYTES : MAX_UPLOAD_BYTES;
}

interface FileProblem extends InputIssue {
  readonly code: "limit_exceeded" | "invalid_input";
}

function findProblems(engine: Engine, file: CreateUploadInput, prefix: string, limit: number): readonly FileProblem[] {
  const problems: FileProblem[] = [];
  if (file.fileSize > limit) {
    const message = `is ${file.fileSize} bytes; the maximum is ${limit}`;
    problems.push({ code: "limit_exceeded", field: `${prefix}fileSize`, message });
  }
  if (!engine.preparer.supports(file.fileName, file.contentType)) {
    const message = `${JSON.stringify(file.fileName)} (${file.contentType}) has a type that no parser supports`;
    problems.push({ code: "invalid_input", field: `${prefix}fileName`, message });
  }
  return problems;
}

/** Throws one error for all problems, if any: `limit_exceeded` if all of them have that code. */
function throwProblems(problems: readonly FileProblem[]): void {
  if (problems.length === 0) return;
  const code = problems.every((problem) => problem.code === "limit_exceeded") ? "limit_exceeded" : "invalid_input";
  const issues = problems.map(({ field, message }) => ({ field, message }));
  throw new KnowledgeBaseError(code, issues.map(({ field, message }) => `${field} ${message}`).join("; "), { issues });
}
