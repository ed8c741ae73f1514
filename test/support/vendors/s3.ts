import { createHash, createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a request does. */
export type S3Operation = "put" | "get" | "head" | "delete" | "copy" | "begin" | "part" | "complete" | "abort" | "list";

/**
 * A failure of one request: a response instead of an answer, an error after the status of success, or a connection that
 * is cut before the request is carried out, after it, or in the middle of the response's body.
 */
export type S3Fault =
  | { readonly status: number; readonly code: string }
  | "error after 200"
  | "cut before"
  | "cut after"
  | "cut within";

interface StoredObject {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

interface Upload {
  readonly key: string;
  readonly initiated: Date;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parts: Map<number, { readonly etag: string; readonly bytes: Buffer }>;
}

class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code);
  }
}

export interface FakeS3 {
  readonly endpoint: string;
  readonly objects: ReadonlyMap<string, StoredObject>;
  readonly uploads: ReadonlyMap<string, unknown>;
  readonly requests: readonly S3Operation[];
  /** Whether a request for a range gets the whole object. */
  ignoresRanges: boolean;
  /** Decides whether a request fails. */
  fault: (operation: S3Operation) => S3Fault | undefined;
  close(): Promise<void>;
}

export const S3_CREDENTIALS = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG" };
export const S3_BUCKET = "handbooks";
export const S3_REGION = "eu-west-3";

/** One bucket, with signatures checked as "Authenticating Requests (AWS Signature Version 4)" describes. */
export async function fakeS3({ now = Date.now }: { readonly now?: () => number } = {}): Promise<FakeS3> {
  const objects = new Map<string, StoredObject>();
  const uploads = new Map<string, Upload>();
  const requests: S3Operation[] = [];
  const state: FakeS3 = {
    endpoint: "",
    objects,
    uploads,
    requests,
    ignoresRanges: false,
    fault: () => undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const { status, code } = error instanceof Refused ? error : new Refused(500, String(error));
      sendError(response, status, code);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(state, { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const url = new URL(request.url!, state.endpoint);
    const operation = operationOf(request, url.searchParams);
    requests.push(operation);
    checkSignature(request, url, body, now());
    const [, bucket, ...path] = url.pathname.split("/");
    if (bucket !== S3_BUCKET) throw new Refused(404, "NoSuchBucket");
    const fault = state.fault(operation);
    if (typeof fault === "object") throw new Refused(fault.status, fault.code);
    if (fault === "cut before") return void request.socket.destroy();
    if (fault === "error after 200") return void response.end(errorBody("InternalError"));
    const result = carryOut(operation, decodeURIComponent(path.join("/")), url.searchParams, request, body);
    if (fault === "cut after") return void request.socket.destroy();
    response.writeHead(result.status ?? 200, { "content-length": result.body?.length ?? 0, ...result.headers });
    if (fault === "cut within") {
      response.write(result.body!.subarray(0, result.body!.length >> 1), () => request.socket.destroy());
      return;
    }
    response.end(request.method === "HEAD" ? undefined : result.body);
  }

  interface Result {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string | number>>;
    readonly body?: Buffer;
  }

  function carryOut(
    operation: S3Operation,
    key: string,
    query: URLSearchParams,
    request: IncomingMessage,
    body: Buffer,
  ): Result {
    switch (operation) {
      case "put":
        objects.set(key, { bytes: body, contentType: request.headers["content-type"] ?? "", metadata: {} });
        return { headers: { etag: etagOf(body) } };
      case "copy": {
        const source = String(request.headers["x-amz-copy-source"]).replace(`/${S3_BUCKET}/`, "");
        const object = objects.get(decodeURIComponent(source));
        if (!object) throw new Refused(404, "NoSuchKey");
        const wanted = request.headers["x-amz-copy-source-if-match"];
        if (wanted !== etagOf(object.bytes)) throw new Refused(412, "PreconditionFailed");
        objects.set(key, object);
        return { body: Buffer.from(`<R><ETag>${etagOf(object.bytes)}</ETag></R>`) };
      }
      case "get":
      case "head":
        return read(key, query, request);
      case "delete":
        objects.delete(key);
        return { status: 204 };
      case "begin": {
        const uploadId = `${randomUUID()}&<"`;
        uploads.set(uploadId, { key, initiated: new Date(now()), metadata: metadataOf(request), parts: new Map() });
        return { body: Buffer.from(`<?xml version="1.0"?><R><UploadId>${escapeXml(uploadId)}</UploadId></R>`) };
      }
      case "part": {
        const part = { etag: etagOf(body), bytes: body };
        uploadOf(query).parts.set(Number(query.get("partNumber")), part);
        return { headers: { etag: part.etag } };
      }
      case "complete": {
        const { metadata, parts } = uploadOf(query);
        const asked = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
        const joined = asked.map(([, number, etag]) => {
          const part = parts.get(Number(number));
          if (!part || part.etag !== etag!.replaceAll("&quot;", '"')) throw new Refused(400, "InvalidPart");
          return part.bytes;
        });
        objects.set(key, { bytes: Buffer.concat(joined), contentType: "", metadata });
        uploads.delete(query.get("uploadId")!);
        return { body: Buffer.from("<R><ETag>&quot;x-2&quot;</ETag></R>") };
      }
      case "list": {
        const marker = query.get("upload-id-marker");
        const prefix = query.get("prefix") ?? "";
        const matching = [...uploads].filter(([, upload]) => upload.key.startsWith(prefix));
        const next = matching[matching.findIndex(([id]) => id === marker) + 1];
        if (!next) return { body: Buffer.from("<R><IsTruncated>false</IsTruncated></R>") };
        const [id, { key, initiated }] = next;
        const upload = `<Upload><Key>${key}</Key><Initiated>${initiated.toISOString()}</Initiated></Upload>`;
        const markers = `<NextKeyMarker>${key}</NextKeyMarker><NextUploadIdMarker>${escapeXml(id)}</NextUploadIdMarker>`;
        const isTruncated = matching.at(-1)![0] !== id;
        return { body: Buffer.from(`<R><IsTruncated>${isTruncated}</IsTruncated>${markers}${upload}</R>`) };
      }
      case "abort":
        uploadOf(query);
        uploads.delete(query.get("uploadId")!);
        return { status: 204 };
    }
  }

  function uploadOf(query: URLSearchParams): Upload {
    const upload = uploads.get(query.get("uploadId")!);
    if (!upload) throw new Refused(404, "NoSuchUpload");
    return upload;
  }

  function read(key: string, query: URLSearchParams, request: IncomingMessage): Result {
    const object = objects.get(key);
    if (!object) throw new Refused(404, "NoSuchKey");
    const { bytes, contentType, metadata } = object;
    const wanted = request.headers["if-match"];
    if (wanted !== undefined && wanted !== etagOf(bytes)) throw new Refused(412, "PreconditionFailed");
    const headers = {
      ...metadata,
      etag: etagOf(bytes),
      "content-type": query.get("response-content-type") ?? contentType,
      "content-disposition": query.get("response-content-disposition") ?? "inline",
    };
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (first === undefined || state.ignoresRanges) return { headers, body: bytes };
    if (Number(first) >= bytes.length) throw new Refused(416, "InvalidRange");
    const end = Math.min(Number(last), bytes.length - 1);
    const range = { ...headers, "content-range": `bytes ${first}-${end}/${bytes.length}` };
    return { status: 206, headers: range, body: bytes.subarray(Number(first), end + 1) };
  }
}

function operationOf({ method, headers }: IncomingMessage, query: URLSearchParams): S3Operation {
  if (headers["x-amz-copy-source"] !== undefined) return "copy";
  if (method === "POST") return query.has("uploads") ? "begin" : "complete";
  if (method === "PUT") return query.has("uploadId") ? "part" : "put";
  if (method === "DELETE") return query.has("uploadId") ? "abort" : "delete";
  if (query.has("uploads")) return "list";
  return method === "HEAD" ? "head" : "get";
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function checkSignature(request: IncomingMessage, url: URL, body: Buffer, now: number): void {
  const { authorization } = request.headers;
  const inHeader = /Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(authorization ?? "")?.slice(1);
  const inQuery = ["Credential", "SignedHeaders", "Signature"].map((name) => url.searchParams.get(`X-Amz-${name}`));
  const [credential, signedHeaders, signature] = inHeader ?? inQuery;
  if (!credential || !signedHeaders || !signature) throw new Refused(403, "AccessDenied");
  const [accessKeyId, day = "", region = "", ...service] = credential.split("/");
  const isKnown = accessKeyId === S3_CREDENTIALS.accessKeyId && region === S3_REGION;
  if (!isKnown || service.join("/") !== "s3/aws4_request") throw new Refused(403, "InvalidAccessKeyId");
  const date = String(inHeader ? request.headers["x-amz-date"] : url.searchParams.get("X-Amz-Date"));
  const signedAt = Date.parse(date.replace(/(....)(..)(..T..)(..)(..Z)/, "$1-$2-$3:$4:$5"));
  const seconds = inHeader ? 900 : Number(url.searchParams.get("X-Amz-Expires"));
  if (!(now < signedAt + seconds * 1000)) throw new Refused(403, "AccessDenied");

  const payload = inHeader ? String(request.headers["x-amz-content-sha256"]) : "UNSIGNED-PAYLOAD";
  if (payload !== "UNSIGNED-PAYLOAD" && payload !== sha256(body)) throw new Refused(400, "XAmzContentSHA256Mismatch");
  if (inHeader && body.length > 0 && payload === "UNSIGNED-PAYLOAD") throw new Refused(400, "MissingContentSHA256");
  const query = [...url.searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map((pair) => pair.map(encode).join("="))
    .toSorted();
  const headers = signedHeaders.split(";").map((name) => `${name}:${String(request.headers[name] ?? "").trim()}\n`);
  const path = url.pathname.split("/").map((part) => encode(decodeURIComponent(part)));
  const canonical = [request.method, path.join("/"), query.join("&"), headers.join(""), signedHeaders, payload].join(
    "\n",
  );
  const scope = [day, region, "s3", "aws4_request"];
  const text = ["AWS4-HMAC-SHA256", date, scope.join("/"), sha256(Buffer.from(canonical))].join("\n");
  const key = scope.reduce<string | Buffer>((key, part) => hmac(key, part), `AWS4${S3_CREDENTIALS.secretAccessKey}`);
  if (hmac(key, text).toString("hex") !== signature) throw new Refused(403, "SignatureDoesNotMatch");
}

function metadataOf({ headers }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-"));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function sendError(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(errorBody(code));
}

function errorBody(code: string): string {
  return `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>It failed &amp; said so.</Message></Error>`;
}

function etagOf(bytes: Buffer): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** RFC 3986. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
