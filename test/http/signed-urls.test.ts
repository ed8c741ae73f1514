import { connect } from "node:net";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectFailure } from "./support/envelope.js";
import { InterfaceClient } from "./support/interface-client.js";
import type { Upload } from "./support/interface-types.js";
import { type Received, type Sent, send } from "./support/send.js";
import { tablesOf } from "./support/tables-of.js";
import { startServer, type TestServer } from "./support/test-server.js";
import { FILE, FILE_BYTES, makeWorld, type World } from "./support/world.js";

let server: TestServer;
let world: World;
let theirs: World;
/** A fixed time, or `null` for the system's clock. */
let standing: number | null = null;
beforeAll(async () => {
  server = await startServer({ clock: () => new Date(standing ?? Date.now()) });
  world = await makeWorld(server);
  theirs = await makeWorld(server);
  await server.kb.drain();
});
afterAll(() => server.close());

const announce = () => world.client.createUpload(world.namespaceId, FILE);
const pathOf = (url: string) => url.slice(server.url.length);
const blobs = () => tablesOf(server.directory).blobs;

function put(path: string, body: string | Uint8Array = FILE_BYTES, headers: Sent["headers"] = {}): Promise<Received> {
  return send(server.url, { method: "PUT", path, body, headers: { "content-type": FILE.contentType, ...headers } });
}
const get = (path: string) => send(server.url, { path });

/** A signed path with some parameters replaced. */
function changed(url: string, parts: { path?: string; expires?: string; signature?: string }): string {
  const { pathname, searchParams } = new URL(url);
  const { path = pathname, expires = searchParams.get("expires"), signature = searchParams.get("signature") } = parts;
  return `${path}?expires=${expires}&signature=${signature}`;
}

const signatureOf = (url: string) => new URL(url).searchParams.get("signature")!;
const expiresOf = (url: string) => Number(new URL(url).searchParams.get("expires"));

/** All signatures that differ in one bit, and other encodings of the same one. */
function otherSignatures(signature: string): string[] {
  const bytes = Buffer.from(signature, "base64url");
  const flipped = Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const other = Buffer.from(bytes);
    other[bit >> 3]! ^= 1 << (bit & 7);
    return other.toString("base64url");
  });
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(signature.at(-1)!);
  const respelled = [1, 2, 3].map((bits) => signature.slice(0, -1) + alphabet[last ^ bits]);
  const cut = [signature.slice(0, -1), signature.slice(1), `${signature}A`, `A${signature}`];
  return [...flipped, ...respelled, ...cut, signature.toUpperCase(), signature.toLowerCase(), bytes.toString("hex")];
}

describe("a signature", () => {
  it("of an upload is checked to the last bit", async () => {
    const { url } = await announce();
    const before = tablesOf(server.directory);
    for (const signature of otherSignatures(signatureOf(url)))
      expectFailure(await put(changed(url, { signature })), 403);
    expect(tablesOf(server.directory)).toEqual(before);
    expect((await put(pathOf(url))).status).toBe(200);
  });

  it.each(["chunksUrl", "fileUrl"] as const)("of a download is checked to the last bit: %s", async (which) => {
    const url = world[which];
    for (const signature of otherSignatures(signatureOf(url)))
      expectFailure(await get(changed(url, { signature })), 403);
    expect((await get(pathOf(url))).status).toBe(200);
  });

  it("is required once, with only the expiry time", async () => {
    const uploads = await announce();
    for (const [url, ask] of [
      [uploads.url, (path: string) => put(path)],
      [world.chunksUrl, get],
      [world.fileUrl, get],
    ] as const) {
      const { pathname, search } = new URL(url);
      const [expires, signature] = search.slice(1).split("&");
      for (const query of [
        ...["", "?", `?${expires}`, `?${signature}`, `?${expires}&signature=`, `?expires=&${signature}`],
        ...[
          `${search}&${signature}`,
          `${search}&${expires}`,
          `${search}&x=1`,
          `${search}&response-content-type=text/html`,
        ],
        ...[`?${expires}&signature[]=${signatureOf(url)}`, `?${expires}&signature=${signatureOf(url)}=`],
        ...[
          `?${expires}&Signature=${signatureOf(url)}`,
          `${search}%00`,
          `${search}%20`,
          `?x=1${search.replace("?", "&")}`,
        ],
      ])
        expectFailure(await ask(pathname + query), 403);
    }
    expect((await put(pathOf(uploads.url))).status).toBe(200);
  });

  it("is valid for one path only", async () => {
    const [first, second] = [await announce(), await announce()];
    const elsewhere = await world.client.createNamespace({ name: "Else", slug: "elsewhere" });
    const third = await world.client.createUpload(elsewhere.id, FILE);
    const { chunksUrl, fileUrl } = world;
    const address = (url: string) => new URL(url).pathname;
    for (const url of [second.url, third.url, theirs.pending.url, chunksUrl, fileUrl]) {
      expectFailure(await put(changed(first.url, { signature: signatureOf(url) })), 403);
      expectFailure(await put(changed(url, { path: address(first.url) })), 403);
    }
    for (const url of [fileUrl, theirs.chunksUrl, first.url]) {
      expectFailure(await get(changed(url, { path: address(chunksUrl) })), 403);
      expectFailure(await get(changed(chunksUrl, { signature: signatureOf(url) })), 403);
    }
    for (const upload of [first, second, third]) expect((await put(pathOf(upload.url))).status).toBe(200);
  });

  it("is valid for one method only", async () => {
    const { url } = await announce();
    for (const method of ["GET", "HEAD", "POST", "PATCH", "DELETE"])
      expect((await send(server.url, { method, path: pathOf(url) })).status).toBe(401);
    for (const method of ["PUT", "POST", "PATCH", "DELETE"])
      for (const path of [world.chunksUrl, world.fileUrl].map(pathOf))
        expectFailure(await send(server.url, { method, path, body: FILE_BYTES }), 401);
    expect((await put(pathOf(url))).status).toBe(200);
  });
});

describe("the expiry time", () => {
  it("is exact to the millisecond", async () => {
    const { url } = await announce();
    try {
      for (const [signed, ask] of [
        [url, (path: string) => put(path)],
        [world.chunksUrl, get],
        [world.fileUrl, get],
      ] as const) {
        standing = expiresOf(signed) + 1;
        expect(expectFailure(await ask(pathOf(signed)), 403)).toContain("expired");
        standing = expiresOf(signed);
        expect((await ask(pathOf(signed))).status).toBe(200);
      }
    } finally {
      standing = null;
    }
  });

  it("is an hour for an upload and a day for a download", async () => {
    standing = Date.UTC(2030, 0, 1);
    try {
      const { url: chunks } = await world.client.getChunksDownloadUrl(world.namespaceId, world.documentId);
      expect(expiresOf((await announce()).url) - standing).toBe(3_600_000);
      expect(expiresOf(chunks) - standing).toBe(24 * 3_600_000);
    } finally {
      standing = null;
    }
  });

  it("cannot be changed or written in another way", async () => {
    const { url } = await announce();
    for (const [signed, ask] of [
      [url, (path: string) => put(path)],
      [world.chunksUrl, get],
    ] as const) {
      const time = expiresOf(signed);
      for (const expires of [
        ...[time + 1, time - 1, time + 86_400_000, 0, -1, 999_999_999_999_999].map(String),
        ...[
          `0${time}`,
          `${time}.0`,
          `+${time}`,
          `%20${time}`,
          `${time / 1000}`,
          `${time}0`,
          "1e15",
          "Infinity",
          "NaN",
          "x",
        ],
        `0x${time.toString(16)}`,
      ])
        expectFailure(await ask(changed(signed, { expires })), 403);
    }
  });
});

it("a URL stays valid after the API key that created it is revoked", async () => {
  const { apiKeys } = server.kb.organization(world.organization.id);
  const { id, key } = await apiKeys.create({ name: "Short-lived", scope: "write" });
  const client = new InterfaceClient({ url: server.url, key });
  const upload = await client.createUpload(world.namespaceId, FILE);
  const { url: download } = await client.getFileDownloadUrl(world.namespaceId, world.documentId);
  await apiKeys.delete(id);
  expect((await put(pathOf(upload.url))).status).toBe(200);
  expect((await get(pathOf(download))).text).toBe("hello");
});

describe("an upload", () => {
  it.each<[string, string | Uint8Array, Record<string, string>?]>([
    ["is one byte longer", "hello!"],
    ["is one byte shorter", "hell"],
    ["is much longer", Buffer.alloc(1_000_000)],
    ["is empty", ""],
    ["is of another type", FILE_BYTES, { "content-type": "text/html" }],
    ["is of the type with a parameter", FILE_BYTES, { "content-type": "text/plain; charset=utf-8" }],
    ["has no type", FILE_BYTES, { "content-type": "" }],
    ["is longer, in chunks", "hello!", { "transfer-encoding": "chunked" }],
    ["is shorter, in chunks", "hell", { "transfer-encoding": "chunked" }],
    ["is empty, in chunks", "", { "transfer-encoding": "chunked" }],
  ])("is refused if it %s, and the URL still works", async (_, body, headers = {}) => {
    const { url } = await announce();
    const before = tablesOf(server.directory);
    const { method, path } = { method: "PUT", path: pathOf(url) };
    const type = { "content-type": FILE.contentType, ...headers };
    // An undefined length is not sent.
    const sent = headers["transfer-encoding"] ? { "content-length": [] } : {};
    expectFailure(await send(server.url, { method, path, body, headers: { ...type, ...sent } }), 400);
    expect(tablesOf(server.directory)).toEqual(before);
    expect((await put(path)).status).toBe(200);
  });

  it("can have its type in another case, and be chunked", async () => {
    const [first, second] = [await announce(), await announce()];
    expect((await put(pathOf(first.url), FILE_BYTES, { "content-type": "Text/Plain" })).status).toBe(200);
    const chunked = { "transfer-encoding": "chunked", "content-length": [] };
    expect((await put(pathOf(second.url), FILE_BYTES, chunked)).status).toBe(200);
  });

  it("is accepted once", async () => {
    const { url, key } = await announce();
    expect((await put(pathOf(url))).status).toBe(200);
    const before = tablesOf(server.directory);
    for (const body of ["hello", "other", "longer than that"]) expectFailure(await put(pathOf(url), body), 409);
    expect(tablesOf(server.directory)).toEqual(before);
    expect(await contentOf(key)).toBe("hello");
  });

  it("is accepted from one of several concurrent requests", async () => {
    for (let round = 0; round < 5; round++) {
      const { url, key } = await announce();
      const bodies = ["first", "other", "third", "forth"];
      const answers = await Promise.all(bodies.map((body) => put(pathOf(url), body)));
      const winners = bodies.filter((_, place) => answers[place]!.status === 200);
      expect(winners).toHaveLength(1);
      for (const answer of answers) if (answer.status !== 200) expectFailure(answer, 409);
      expect(await contentOf(key)).toBe(winners[0]);
    }
  });

  it("is refused once its namespace is deleted", async () => {
    const { id } = await world.client.createNamespace({ name: "Gone", slug: "gone" });
    const { url } = await world.client.createUpload(id, FILE);
    await world.client.deleteNamespace(id);
    expectFailure(await put(pathOf(url)), 403);
    await server.kb.drain();
    expectFailure(await put(pathOf(url)), 403);
    expect(blobs()!.some((path) => path.includes(id))).toBe(false);
  });

  it("leaves nothing if its client disconnects, and can be sent again", async () => {
    const { url, key } = await announce();
    const before = blobs();
    await abandon(url);
    // The server needs a moment to notice the disconnect.
    await expect.poll(async () => (await put(pathOf(url))).status).toBe(200);
    expect(blobs()!.filter((path) => !before!.includes(path))).toHaveLength(1);
    expect(await contentOf(key)).toBe("hello");
  });
});

/** Sends the start of an upload, waits until the server has accepted it, and disconnects. */
async function abandon(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const head = [`PUT ${pathOf(url)} HTTP/1.1`, `Host: ${hostname}`, "Content-Type: text/plain", "Content-Length: 5"];
  const socket = connect(Number(port), hostname);
  socket.write([...head, "", "he"].join("\r\n"));
  const key = new URL(url).pathname.slice("/v1/blobs/".length);
  while (stateOf(key) !== "receiving") await turnOfTheLoop();
  socket.destroy();
}

function stateOf(key: string): unknown {
  const rows = tablesOf(server.directory).uploads!.map((row) => JSON.parse(row));
  return rows.find((row) => row.key === key).state;
}

async function contentOf(key: string): Promise<string> {
  const { client, namespaceId } = world;
  const job = await client.createIngestJob(namespaceId, { payload: { type: "MANAGED_FILE", key } });
  await client.completed(namespaceId, job.id);
  const { data } = await client.listDocuments(namespaceId, { ingestJobId: job.id });
  return (await fetch((await client.getFileDownloadUrl(namespaceId, data[0]!.id)).url)).text();
}

it("paths that only look the same are not found", async () => {
  const upload = await announce();
  const before = blobs();
  const { pathname, search } = new URL(upload.url);
  const [, , , namespace, blob] = pathname.split("/");
  for (const path of [
    ...[`${pathname}/`, `/${pathname}`, `/v1/blobs//${namespace}/${blob}`, `/v1/blobs/${namespace}%2f${blob}`],
    ...[`/v1/blobs/${namespace}/${blob}%00`, `/v1/blobs/${namespace}/${blob}%20`, `/v1/blobs/${namespace}/${blob}.`],
    ...[`/v1/blobs/${namespace}/${blob!.toUpperCase()}x`, `/v1/blobs/${world.slug}/${blob}`, `/v1/blobs/${namespace}`],
    ...[`/v1/blobs/${namespace}/%2e%2e%2f${namespace}%2f${blob}`, `/v1/blobs/${namespace}/..%5c${blob}`],
    `/v1/blobs/${namespace}/${blob};x=1`,
  ])
    expect([401, 403, 404], path).toContain((await put(path + search)).status);
  expect(blobs()).toEqual(before);
  expect((await put(pathOf(upload.url))).status).toBe(200);
});

describe("a job finds no file", () => {
  const refused = async (key: string) => {
    const body = { payload: { type: "MANAGED_FILE", key } };
    const call = world.client.createIngestJob(world.namespaceId, body);
    await expect(call).rejects.toMatchObject({ status: 400, message: expect.stringContaining("File not found") });
  };

  it("with the key of an upload that is missing, incomplete or different", async () => {
    const uploads: Upload[] = await Promise.all([announce(), announce(), announce()]);
    await abandon(uploads[1]!.url);
    await put(pathOf(uploads[2]!.url), "hell");
    for (const { key } of uploads) await refused(key);
    expect(uploads.map(({ key }) => stateOf(key))).not.toContain("stored");
  });

  it("with the key of another organization or namespace, or an unknown key", async () => {
    const elsewhere = await world.client.createNamespace({ name: "Beside", slug: "beside" });
    const upload = await world.client.createUpload(elsewhere.id, FILE);
    await world.client.put(upload, FILE.contentType, FILE_BYTES);
    for (const key of [upload.key, theirs.key, "x", `${world.key}/..`, `../${world.key}`, "__proto__", "secret.key"])
      await refused(key);
  });
});
