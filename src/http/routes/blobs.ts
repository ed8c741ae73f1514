import { create as contentDisposition } from "content-disposition";
import { KnowledgeBaseError } from "../../errors.js";
import type { ByteRange, Download, SignedDownload } from "../../index.js";
import { HttpError } from "../errors.js";
import { type Call, route } from "../route.js";

/** Keeps browsers from running uploaded content, whatever its type. */
const SANDBOX_HEADERS = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
  "cache-control": "private, no-store",
};

/** The routes of signed URLs, which need no API key. */
export const blobRoutes = [
  route({
    operationId: "putBlob",
    summary: "Upload the bytes of an announced file once, with the declared size and content type",
    method: "PUT",
    path: "/v1/blobs/:namespaceId/:blobId",
    access: "signed",
    file: "request",
    response: null,
    run: putBlob,
  }),
  route({
    operationId: "downloadChunks",
    summary: "A document's chunks as JSON",
    method: "GET",
    path: "/v1/downloads/chunks/:documentId",
    access: "signed",
    file: "response",
    response: null,
    run: (call) => download(call, "chunks"),
  }),
  route({
    operationId: "downloadFile",
    summary: "The source file of a document, whole or one range of bytes",
    method: "GET",
    path: "/v1/downloads/file/:documentId",
    access: "signed",
    file: "response",
    response: null,
    run: (call) => download(call, "file"),
  }),
];

async function putBlob({ kb, params, url, request, signal }: Call): Promise<Response> {
  const length = request.headers.get("content-length");
  const upload = {
    key: `${params.namespaceId}/${params.blobId}`,
    ...parseSignature(url),
    contentType: request.headers.get("content-type") ?? "",
    ...(length === null ? {} : { size: Number(length) }),
  };
  try {
    await kb.receiveUpload(upload, request.body ?? new Uint8Array(), { signal });
  } catch (error) {
    // The file doesn't match its announcement, which is a bad request, not an invalid field.
    const isMismatch = KnowledgeBaseError.is(error, "invalid_input") || KnowledgeBaseError.is(error, "limit_exceeded");
    throw isMismatch ? new HttpError(400, (error as Error).message) : error;
  }
  return new Response(null, { status: 200 });
}

async function download(call: Call, kind: SignedDownload["kind"]): Promise<Response> {
  const { kb, params, url, request, signal } = call;
  const signed = { kind, documentId: params.documentId!, ...parseSignature(url) };
  const whole = await kb.openDownload(signed, { signal });
  const range = isUnchanged(request.headers, whole) ? parseRange(request.headers.get("range"), whole.size) : null;
  if (range === null) return attachment(whole, 200, { "content-length": String(whole.size) });
  await whole.body.cancel();
  const span = range === "unsatisfiable" ? "*" : `${range.start}-${range.end - 1}`;
  const contentRange = { "content-range": `bytes ${span}/${whole.size}` };
  if (range === "unsatisfiable") return new Response(null, { status: 416, headers: contentRange });
  const part = await kb.openDownload(signed, { range, signal });
  // The document was ingested again in the meantime, so the range is that of another file.
  if (part.etag !== whole.etag || part.size !== whole.size) {
    await part.body.cancel();
    return download(call, kind);
  }
  const length = { "content-length": String(range.end - range.start) };
  return attachment(part, 206, { ...contentRange, ...length });
}

/** RFC 9110, section 13.1.5: a range is only valid for the same version of the file. */
function isUnchanged(headers: Headers, { etag }: Download): boolean {
  const condition = headers.get("if-range");
  return condition === null || condition === `"${etag}"`;
}

function attachment(file: Download, status: 200 | 206, headers: Readonly<Record<string, string>>): Response {
  return new Response(file.body, {
    status,
    headers: {
      ...SANDBOX_HEADERS,
      ...headers,
      "content-type": file.mimeType,
      "content-disposition": contentDisposition(baseName(file.fileName)),
      "accept-ranges": "bytes",
      ...(file.etag === null ? {} : { etag: `"${file.etag}"` }),
    },
  });
}

/** Removes folders from the name, since not every client does so when saving the file. */
function baseName(fileName: string): string {
  const name = fileName.split(/[/\\]/).at(-1)!;
  return /^\.{0,2}$/.test(name) ? "file" : name;
}

/** @throws HttpError 403 unless the URL has exactly the parameters of a signed URL */
function parseSignature(url: URL): { expires: number; signature: string } {
  const { searchParams } = url;
  const expires = searchParams.get("expires") ?? "";
  const signature = searchParams.get("signature") ?? "";
  if (searchParams.size !== 2 || !/^[1-9]\d{0,14}$/.test(expires) || !/^[\w-]+$/.test(signature)) {
    throw new HttpError(403, "The URL was not signed by this server.");
  }
  return { expires: Number(expires), signature };
}

/**
 * Parses a Range header (RFC 9110, section 14) for a file of `size` bytes. Returns `null` for the whole file: without a
 * header, for several ranges and for an invalid header, as the RFC allows.
 */
function parseRange(header: string | null, size: number): ByteRange | "unsatisfiable" | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return null;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}
