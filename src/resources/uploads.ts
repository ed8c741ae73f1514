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
import { type Grant, invalidUrl, requireSignature, signedUrl } from "./signed-url.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How long one sender may take; after that the URL can be used again, should the sender have died. */
const RECEIVING_MS = 15 * MINUTE_MS;
/** How long an upload URL works. */
const URL_LIFETIME_MS = HOUR_MS;
/** How long a file that no document uses is kept. */
const UNUSED_LIFETIME_MS = 24 * HOUR_MS;
const FREE_PLAN_BYTES = 5 * 1024 * 1024;

export interface CreateUploadInput {
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly fileSize: number;
}

export interface Upload {
  /** Where to PUT the bytes with the declared content type: once, within an hour. Presigned if the blob store can. */
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
  /** The request's content type. If given, it must be the declared one. */
  readonly contentType?: string | undefined;
  /** The request's content length. If given, it must be the announced size. */
  readonly size?: number | undefined;
}

/** Files for `MANAGED_FILE` payloads. Each belongs to a namespace. */
export class Uploads {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /**
   * Announces a file and returns the URL to send it to.
   * @throws KnowledgeBaseError `invalid_input`, `limit_exceeded`
   */
  async create(namespace: string, file: CreateUploadInput, options: CallOptions = {}): Promise<Upload> {
    const [upload] = await this.#announce(namespace, [parseInput(createUploadSchema, file)], () => "", options);
    return upload!;
  }

  /** Announces 1 to 100 files; all are accepted or none. */
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
    // The record first, as pending: should the process die in between, the sweeper knows of the file.
    await announce(engine, access, [{ key, fileName, contentType, fileSize: 0 }], now);
    await store(engine, key, body, { ...options, maxBytes: MAX_UPLOAD_BYTES });
    return { key };
  }

  async #announce(
    namespace: string,
    files: readonly CreateUploadInput[],
    placeOf: (index: number) => string,
    options: CallOptions,
  ): Promise<readonly Upload[]> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const limit = await uploadLimit(engine, access);
    refuseFiles(files.flatMap((file, index) => fileProblems(engine, file, placeOf(index), limit)));
    const now = engine.now();
    const uploads = files.map((file) => ({ ...file, key: newKey(access) }));
    const urls = await Promise.all(uploads.map((upload) => uploadUrl(engine, access, upload, now + URL_LIFETIME_MS)));
    await announce(engine, access, uploads, now);
    return uploads.map(({ key }, index) => ({ key, url: urls[index]! }));
  }
}

type NewUpload = CreateUploadInput & { readonly key: string };

async function announce(
  { storage }: Engine,
  { namespaceId }: Access,
  uploads: readonly NewUpload[],
  now: number,
): Promise<void> {
  await storage.uploads.create({ namespaceId, uploads, now, expiresAt: now + UNUSED_LIFETIME_MS });
}

async function uploadUrl(engine: Engine, access: Access, upload: NewUpload, expires: number): Promise<string> {
  const { key, contentType, fileSize: size } = upload;
  if (!engine.blobs.presign)
    return signedUrl(engine, `/v1/blobs/${key}`, uploadGrant(upload, expires, access.organizationId));
  const expiresInSeconds = URL_LIFETIME_MS / 1000;
  return engine.blobs.presign(key, { method: "PUT", contentType, size, expiresInSeconds });
}

function uploadGrant(upload: Omit<NewUpload, "fileName">, expires: number, organizationId: string): Grant {
  const { key, contentType, fileSize } = upload;
  return { kind: "upload", expires, binds: ["PUT", key, expires, contentType, fileSize, organizationId] };
}

/**
 * Takes in the bytes that an upload URL announced: once, of the announced size. The signature is all the right that it
 * takes.
 * @throws KnowledgeBaseError, the first that applies: `forbidden` for a URL that was changed or has expired, `conflict`
 * for one that was used or is in use, `invalid_input` for another content type or size
 */
export async function receiveUpload(
  engine: Engine,
  { key, expires, signature, contentType, size }: SignedUpload,
  body: Bytes,
  options: CallOptions,
): Promise<void> {
  const row = await engine.storage.uploads.withOrganization({ key });
  if (!row) throw invalidUrl("upload");
  const announced = { key, contentType: row.contentType, fileSize: row.fileSize };
  requireSignature(engine, uploadGrant(announced, expires, row.organizationId), signature);
  if (row.state === "stored") throw usedUrl();
  checkDeclared(announced, { contentType, size });
  await store(engine, key, body, { ...options, maxBytes: row.fileSize, exactly: row.fileSize });
}

/** Before a byte is read. */
function checkDeclared(
  announced: { readonly contentType: string; readonly fileSize: number },
  { contentType, size }: Pick<SignedUpload, "contentType" | "size">,
): void {
  if (contentType !== undefined && comparable(contentType) !== comparable(announced.contentType)) {
    const message = `is ${preview(contentType)} where ${preview(announced.contentType)} was announced`;
    throw new KnowledgeBaseError("invalid_input", `contentType ${message}`, {
      issues: [{ field: "contentType", message }],
    });
  }
  if (size !== undefined && size !== announced.fileSize) throw otherSize("size", size, announced.fileSize);
}

/** Media types mean the same in any letter case, and with or without blanks round their parameters. */
function comparable(mediaType: string): string {
  return mediaType
    .trim()
    .toLowerCase()
    .replace(/\s*;\s*/g, ";");
}

function otherSize(field: string, size: number, announced: number): KnowledgeBaseError {
  const message = `The upload has ${size} bytes where ${announced} were announced.`;
  return new KnowledgeBaseError("invalid_input", message, { issues: [{ field, message }] });
}

function usedUrl(): KnowledgeBaseError {
  return new KnowledgeBaseError("conflict", "The upload URL has been used.");
}

function checkBody(body: Bytes): void {
  const given: unknown = body;
  const streams =
    typeof given === "object" && given !== null && (Symbol.asyncIterator in given || "getReader" in given);
  if (given instanceof Uint8Array || given instanceof Blob || streams) return;
  const message = `must be bytes, a Blob or a stream of bytes, not a ${given === null ? "null" : typeof given}`;
  throw new KnowledgeBaseError("invalid_input", `body ${message}`, { issues: [{ field: "body", message }] });
}

/** Writes a file under a key that is claimed first: of two senders, one is refused. A failure leaves it as it was. */
async function store(
  engine: Engine,
  key: string,
  body: Bytes,
  { maxBytes, exactly, signal }: CallOptions & { readonly maxBytes: number; readonly exactly?: number },
): Promise<void> {
  const { uploads } = engine.storage;
  const now = engine.now();
  const until = now + RECEIVING_MS;
  if (!(await uploads.claim({ key, now, claimedUntil: until }))) throw usedUrl();
  // Writing must stop when the claim expires: another sender may have sent the file by then.
  const lapsing = AbortSignal.timeout(RECEIVING_MS - MINUTE_MS);
  try {
    const { size, sha256 } = await engine.blobs.put(key, body, {
      signal: signal ? AbortSignal.any([signal, lapsing]) : lapsing,
      maxBytes,
    });
    if (exactly !== undefined && size !== exactly) throw otherSize("body", size, exactly);
    // The namespace's removal has removed the record, so the file must be removed here.
    if (!(await uploads.finish({ key, claimedUntil: until, fileSize: size, sha256 })))
      throw new KnowledgeBaseError("not_found", "The upload's namespace has been deleted.");
  } catch (error) {
    // What fails here too must not hide why it came to this.
    const tell = (second: unknown) => engine.events.emit({ type: "error", error: second });
    await engine.blobs.delete(key).catch(tell);
    await uploads.release({ key, claimedUntil: until }).catch(tell);
    throw error;
  }
}

/** Nothing of the caller's own words is part of a key. */
function newKey(access: Access): string {
  return `${access.namespaceId}/${randomBytes(16).toString("hex")}`;
}

async function uploadLimit(engine: Engine, access: Access): Promise<number> {
  const organization = await engine.storage.organizations.get({ id: access.organizationId });
  return organization?.plan === "free" ? FREE_PLAN_BYTES : MAX_UPLOAD_BYTES;
}

interface FileProblem extends InputIssue {
  readonly code: "limit_exceeded" | "invalid_input";
}

function fileProblems(engine: Engine, file: CreateUploadInput, place: string, limit: number): readonly FileProblem[] {
  const problems: FileProblem[] = [];
  if (file.fileSize > limit) {
    const message = `is ${file.fileSize} bytes; the most is ${limit}`;
    problems.push({ code: "limit_exceeded", field: `${place}fileSize`, message });
  }
  if (!engine.preparer.supports(file.fileName, file.contentType)) {
    const message = `${JSON.stringify(file.fileName)} (${file.contentType}) is of a type that no parser reads`;
    problems.push({ code: "invalid_input", field: `${place}fileName`, message });
  }
  return problems;
}

/** One error for all issues: a limit error if there is nothing else. */
function refuseFiles(problems: readonly FileProblem[]): void {
  if (problems.length === 0) return;
  const code = problems.every((problem) => problem.code === "limit_exceeded") ? "limit_exceeded" : "invalid_input";
  const issues = problems.map(({ field, message }) => ({ field, message }));
  throw new KnowledgeBaseError(code, issues.map(({ field, message }) => `${field} ${message}`).join("; "), { issues });
}
