import { KnowledgeBaseError } from "../../errors.js";
import type { SignedDownload } from "../../index.js";
import { HttpError } from "../errors.js";
import { fileResponse, type OpenFile } from "../file-response.js";
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
    summary: "Download a document's chunks as JSON",
    method: "GET",
    path: "/v1/downloads/chunks/:documentId",
    access: "signed",
    file: "response",
    response: null,
    run: (call) => download(call, "chunks"),
  }),
  route({
    operationId: "downloadFile",
    summary: "Download the source file of a document, whole or one range of bytes",
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

function download({ kb, params, url, request, signal }: Call, kind: SignedDownload["kind"]): Promise<Response> {
  const signed = { kind, documentId: params.documentId!, ...parseSignature(url) };
  const open: OpenFile = (range) => kb.openDownload(signed, { ...(range && { range }), signal });
  return fileResponse(request, open, SANDBOX_HEADERS);
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
