import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LEXICAL } from "./knowledge-base.js";

export interface Running {
  readonly url: string;
  close(): Promise<void>;
}

/** Where a client finds a mounted handler, and the key it shows there. */
export interface Mounted {
  /** With the prefix, as `http://127.0.0.1:3000/kb`. */
  readonly url: string;
  readonly key: string;
}

export async function listen(server: Server): Promise<Running> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Sends what it is given and reads until the other side ends. */
export function openSocket(url: string): { readonly socket: Socket; answer(until?: RegExp): Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("latin1").on("data", (part: string) => {
    received += part;
  });
  const answer = (until?: RegExp) =>
    new Promise<string>((resolve) => {
      const check = () => {
        if (until?.test(received) || socket.closed) resolve(received);
      };
      socket.on("data", check).on("close", () => resolve(received));
      // A connection that breaks off has ended too.
      socket.on("error", () => {});
      check();
    });
  return { socket, answer };
}

export async function call(
  { url, key }: Mounted,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: { readonly data?: unknown }; headers: Headers }> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`${url}${path}`, init);
  return { status: response.status, headers: response.headers, body: (await response.json()) as { data?: unknown } };
}

let made = 0;

/** Creates a namespace; returns its path. */
export async function createNamespace(mounted: Mounted): Promise<string> {
  const slug = `mounted-${++made}`;
  const { status } = await call(mounted, "POST", "/v1/namespace", { name: slug, slug, embeddingConfig: LEXICAL });
  expect(status).toBe(201);
  return `/v1/namespace/${slug}`;
}

interface UploadedFile {
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: string;
}

export async function announce(
  mounted: Mounted,
  namespace: string,
  { fileName, contentType, bytes }: UploadedFile,
): Promise<{ url: string; key: string }> {
  const announced = { fileName, contentType, fileSize: Buffer.byteLength(bytes) };
  const created = await call(mounted, "POST", `${namespace}/uploads`, announced);
  expect(created.status).toBe(201);
  return created.body.data as { url: string; key: string };
}

/** Announces a file and sends its bytes. */
export async function upload(
  mounted: Mounted,
  namespace: string,
  file: UploadedFile,
): Promise<{ url: string; key: string; response: Response }> {
  const { url, key } = await announce(mounted, namespace, file);
  const headers = { "content-type": file.contentType };
  return { url, key, response: await fetch(url, { method: "PUT", headers, body: file.bytes }) };
}

/** Starts a job of one text and returns its path. */
export async function ingest(mounted: Mounted, namespace: string, text: string): Promise<string> {
  const created = await call(mounted, "POST", `${namespace}/ingest-jobs`, { payload: { type: "TEXT", text } });
  expect(created.status).toBe(201);
  const { id } = created.body.data as { id: string };
  return `${namespace}/ingest-jobs/${id}`;
}

/** A JSON file that no parser gives back as it was, though another of its size may be. */
export const JSON_FILE = { fileName: "a.json", contentType: "application/json", bytes: '{"rows": 1e3}' };

/**
 * What every mounted handler does.
 * @param parser Whether a parser of JSON stands before it.
 */
export function testMounted(
  open: () => Promise<Mounted & Running>,
  { parser = false }: { parser?: boolean } = {},
): void {
  let mounted: Mounted & Running;
  beforeAll(async () => {
    mounted = await open();
  });
  afterAll(() => mounted?.close());
  const authorized = () => ({ authorization: `Bearer ${mounted.key}` });

  it("answers without a key what is open to all, and 401 otherwise", async () => {
    const health = await fetch(`${mounted.url}/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
    const refused = await fetch(`${mounted.url}/v1/namespace`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toBe("Bearer");
    expect(await refused.json()).toMatchObject({ success: false, error: { code: "unauthorized" } });
  });

  it("answers HEAD without a body", async () => {
    const response = await fetch(`${mounted.url}/v1/namespace`, { method: "HEAD", headers: authorized() });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  it("answers an unknown path below the prefix with its own 404", async () => {
    const { status, body, headers } = await call(mounted, "GET", "/v1/nothing");
    expect(status).toBe(404);
    expect(body).toMatchObject({ success: false, error: { code: "not_found" } });
    expect(headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
  });

  it("ingests a text, tells of it as server-sent events until the job ends, finds it, changes and deletes", async () => {
    const namespace = await createNamespace(mounted);
    const job = await ingest(mounted, namespace, "The lamp is lit thirty minutes before sunset.");
    const events = await fetch(`${mounted.url}${job}/events`, { headers: authorized() });
    expect(events.headers.get("content-type")).toBe("text/event-stream");
    const told = await events.text();
    expect(told).toMatch(/^id: \d+\nevent: job\.status\ndata: [^\n]*"QUEUED"/);
    expect(told).toMatch(/event: job\.status\ndata: [^\n]*"COMPLETED"[^\n]*\n\n$/);

    const found = await call(mounted, "POST", `${namespace}/search`, { query: "lamp" });
    expect(found.body).toMatchObject({ data: [{ text: "The lamp is lit thirty minutes before sunset." }] });

    const changed = await call(mounted, "PATCH", namespace, { name: "Lamps" });
    expect(changed.body).toMatchObject({ success: true, data: { name: "Lamps" } });
    const deleted = await call(mounted, "DELETE", namespace);
    expect(deleted.status).toBe(200);
    expect(deleted.body).toMatchObject({ success: true, data: { name: "Lamps" } });
    expect((await call(mounted, "GET", namespace)).status).toBe(404);
  });

  it("takes an upload at a signed URL below the prefix", async () => {
    const namespace = await createNamespace(mounted);
    const file = { fileName: "notice.txt", contentType: "text/plain", bytes: "The boat sails at ten." };
    const { url, key, response } = await upload(mounted, namespace, file);
    expect(new URL(url).pathname).toMatch(`${new URL(mounted.url).pathname}/v1/blobs/`);
    expect(response.status).toBe(200);
    const payload = { type: "MANAGED_FILE", key };
    expect((await call(mounted, "POST", `${namespace}/ingest-jobs`, { payload })).status).toBe(201);
  });

  it(parser ? "refuses an upload of a JSON file, which is changed" : "takes an upload of a JSON file", async () => {
    const { response } = await upload(mounted, await createNamespace(mounted), JSON_FILE);
    expect(response.status).toBe(parser ? 400 : 200);
  });

  it("refuses malformed JSON with 400", async () => {
    const headers = { ...authorized(), "content-type": "application/json" };
    const response = await fetch(`${mounted.url}/v1/namespace`, { method: "POST", headers, body: '{"name":' });
    expect(response.status).toBe(400);
    // With a parser before it, the host's own answer.
    if (!parser) expect(await response.json()).toMatchObject({ success: false, error: { code: "bad_request" } });
  });
}
