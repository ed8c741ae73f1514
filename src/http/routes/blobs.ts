import { create as contentDisposition } from "content-disposition";
import { KnowledgeBaseError } from "../../errors.js";
import type { Download, SignedDownload } from "../../index.js";
import { parseRange } from "../byte-range.js";
import { HttpError } from "../errors.js";
import { type Call, route } from "../route.js";

/** Nothing that was uploaded runs in a browser, whatever it says it is. */
const INERT = {
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
  "cache-control": "private, no-store",
};

/** What signed URLs lead to: the signature is all the right that they take. */
export const blobRoutes = [
  route({
    operationId: "putBlob",
    summary: "Send the bytes of an announced file: once, of the declared size and content type",
    method: "PUT",
    path: "/v1/blobs/:namespaceId/:blobId",
    access: "signed",
    file: "request",
    answer: null,
    run: putBlob,
  }),
  route({
    operationId: "downloadChunks",
    summary: "A document's chunks as JSON",
    method: "GET",
    path: "/v1/downloads/chunks/:documentId",
    access: "signed",
    file: "response",
    answer: null,
    run: (call) => download(call, "chunks"),
  }),
  route({
    operationId: "downloadFile",
    summary: "The file that a document was made from; one range of bytes at a time",
    method: "GET",
    path: "/v1/downloads/file/:documentId",
    access: "signed",
    file: "response",
    answer: null,
    run: (call) => download(call, "file"),
  }),
];

async function putBlob({ kb, params, url, request, signal }: Call): Promise<Response> {
  const length = request.headers.get("content-length");
  const upload = {
    key: `${params.namespaceId}/${params.blobId}`,
    ...signatureOf(url),
    contentType: request.headers.get("content-type") ?? "",
    ...(length === null ? {} : { size: Number(length) }),
  };
  try {
    await kb.receiveUpload(upload, request.body ?? new Uint8Array(), { signal });
  } catch (error) {
    // Not the JSON of an operation but the file itself is not what was announced: the request is bad.
    const refused = KnowledgeBaseError.is(error, "invalid_input") || KnowledgeBaseError.is(error, "limit_exceeded");
    throw refused ? new HttpError(400, (error as Error).message) : error;
  }
  return new Response(null, { status: 200 });
}

async function download(call: Call, kind: SignedDownload["kind"]): Promise<Response> {
  const { kb, params, url, request, signal } = call;
  const signed = { kind, documentId: params.documentId!, ...signatureOf(url) };
  const whole = await kb.openDownload(signed, { signal });
  const range = stillTheSame(request.headers, whole) ? parseRange(request.headers.get("range"), whole.size) : null;
  if (range === null) return attachment(whole, 200, { "content-length": String(whole.size) });
  await whole.body.cancel();
  const place = range === "unsatisfiable" ? "*" : `${range.start}-${range.end - 1}`;
  const contentRange = { "content-range": `bytes ${place}/${whole.size}` };
  if (range === "unsatisfiable") return new Response(null, { status: 416, headers: contentRange });
  const part = await kb.openDownload(signed, { range, signal });
  // Ingested anew between the two looks: what was measured is not what would be sent.
  if (part.etag !== whole.etag || part.size !== whole.size) {
    await part.body.cancel();
    return download(call, kind);
  }
  const length = { "content-length": String(range.end - range.start) };
  return attachment(part, 206, { ...contentRange, ...length });
}

/** RFC 9110, section 13.1.5: a part is only good beside parts of the same whole. */
function stillTheSame(headers: Headers, { etag }: Download): boolean {
  const condition = headers.get("if-range");
  return condition === null || condition === `"${etag}"`;
}

function attachment(file: Download, status: 200 | 206, headers: Readonly<Record<string, string>>): Response {
  return new Response(file.body, {
    status,
    headers: {
      ...INERT,
      ...headers,
      "content-type": file.mimeType,
      "content-disposition": contentDisposition(baseName(file.fileName)),
      "accept-ranges": "bytes",
      ...(file.etag === null ? {} : { etag: `"${file.etag}"` }),
    },
  });
}

/** What a name says of folders is left out: not every client that saves the file does so itself. */
function baseName(fileName: string): string {
  const name = fileName.split(/[/\\]/).at(-1)!;
  return /^\.{0,2}$/.test(name) ? "file" : name;
}

/** @throws HttpError 403 unless the URL has exactly what ours have */
function signatureOf(url: URL): { expires: number; signature: string } {
  const { searchParams } = url;
  const expires = searchParams.get("expires") ?? "";
  const signature = searchParams.get("signature") ?? "";
  if (searchParams.size !== 2 || !/^[1-9]\d{0,14}$/.test(expires) || !/^[\w-]+$/.test(signature)) {
    throw new HttpError(403, "The URL is not one that was signed here.");
  }
  return { expires: Number(expires), signature };
}
