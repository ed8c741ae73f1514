import { EventEmitter, once } from "node:events";
import { get } from "node:http";
import { fakeEmbedder, fakeReranker } from "lorebase/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileBlobStore } from "#dist/blob-stores/file/blob-store.js";
import { HTTP_ERRORS } from "#dist/http/errors.js";
import { ROUTES } from "#dist/http/routes/index.js";
import type { BlobStore } from "../../src/interfaces/blob-store.js";
import type { Embedder } from "../../src/interfaces/embedder.js";
import { providerOf } from "../support/providers.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { expectFailure } from "./support/envelope.js";
import { CODES, failureFault } from "./support/failure-fault.js";
import { paramsOf } from "./support/requests.js";
import { authorized, send } from "./support/send.js";
import { newOrganization, startServer, type TestServer } from "./support/test-server.js";
import { makeWorld, type World } from "./support/world.js";

const CANARY = "canary-7f3a postgres://admin:hunter2@10.0.0.7/kb at /srv/secret/file.ts:12";
const broken = fakeReranker({ model: "broken:reranker", script: Array(9).fill(new Error(CANARY)) });
const failing = {
  ...fakeEmbedder({ provider: "FAILING" }),
  embed: () => Promise.reject(new Error(CANARY)),
};

const heard: unknown[] = [];
let server: TestServer;
let world: World;
beforeAll(async () => {
  server = await startServer(
    { rerankers: [fakeReranker(), broken], embedders: [providerOf(failing)] },
    { onError: (error) => heard.push(error) },
  );
  world = await makeWorld(server);
  await server.kb.drain();
});
afterAll(() => server.close());

const headers = () => authorized(world.organization.key);
const post = (path: string, body: unknown) =>
  send(server.url, { method: "POST", path, headers: headers(), body: JSON.stringify(body) });

describe("the nine codes", () => {
  it("have the names and anchors of the interface", () => {
    const table = Object.fromEntries(
      Object.entries(HTTP_ERRORS).map(([status, { code, anchor }]) => [status, [code, anchor]]),
    );
    expect(table).toEqual(CODES);
  });

  it("are explained on the page that errors link to", async () => {
    const { text } = await send(server.url, { path: "/v1/namespace" });
    const { doc_url } = JSON.parse(text).error;
    const page = await (await fetch(doc_url)).text();
    for (const [code, anchor] of Object.values(CODES)) {
      expect(page).toContain(`id="${anchor}"`);
      expect(page).toContain(code);
    }
  });

  it("are returned for the errors that they describe", async () => {
    const path = `/v1/namespace/${world.namespaceId}`;
    const free = authorized((await newOrganization(server, "free")).key);
    for (let count = 0; count < 60; count++) await send(server.url, { path: "/v1/namespace", headers: free });
    const reader = await server.kb.organization(world.organization.id).apiKeys.create({ name: "r", scope: "read" });
    const seen = [
      await send(server.url, { path: `${path}/documents?cursor=x`, headers: headers() }),
      await send(server.url, { path }),
      await send(server.url, { method: "DELETE", path, headers: authorized(reader.key) }),
      await send(server.url, { path: "/v1/namespace/none", headers: headers() }),
      await post("/v1/namespace", { name: "Again", slug: world.slug }),
      await post("/v1/namespace", { name: "", slug: "" }),
      await send(server.url, { path: "/v1/namespace", headers: free }),
      await post(`${path}/search`, { query: "harbour", rerankModel: "broken:reranker" }),
    ];
    expect(seen.map(({ status }) => status)).toEqual([400, 401, 403, 404, 409, 422, 429, 500]);
    for (const answer of seen) expect(failureFault(answer)).toBe(null);
  });
});

it("the envelope of errors is exactly that of the interface", async () => {
  const answer = await send(server.url, { path: "/v1/namespace/no-such", headers: headers() });
  expect(answer.text).toBe(
    `{"success":false,"error":{"code":"not_found","message":"There is no namespace \\"no-such\\".","doc_url":"${server.url}/api-reference/errors#not-found"}}`,
  );
  expect(answer.headers["content-type"]).toBe("application/json");
  expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
});

it("a validation error names every invalid field", async () => {
  const config = { chunkSize: 1, chunkOverlap: -1, delimiter: "", metadata: { documentId: 1 }, mode: "slow" };
  const message = expectFailure(
    await post(`/v1/namespace/${world.namespaceId}/ingest-jobs`, {
      payload: { type: "CRAWL", url: "file:///etc/passwd", maxDepth: 0, includePaths: ["docs"] },
      name: "",
      externalId: 7,
      config,
    }),
    422,
  );
  const fields = ["payload.url", "payload.maxDepth", "payload.includePaths[0]", "name", "externalId"];
  for (const field of [...fields, ...Object.keys(config).map((key) => `config.${key}`)])
    expect(message).toContain(field);
  const files = [
    { fileName: "a.txt", contentType: "text/plain", fileSize: 1 },
    { fileName: "", contentType: "nonsense", fileSize: 0.5 },
    {},
  ];
  const batch = expectFailure(await post(`/v1/namespace/${world.namespaceId}/uploads/batch`, { files }), 422);
  for (const place of [1, 2])
    for (const field of ["fileName", "contentType", "fileSize"]) expect(batch).toContain(`files[${place}].${field}`);
  expect(batch).not.toContain("files[0]");
});

describe("an error of the server itself", () => {
  it("hides its cause from the client and logs it", async () => {
    const made = await server.kb
      .organization(world.organization.id)
      .namespaces.create({ name: "Failing", slug: "failing", embeddingConfig: { provider: "FAILING" } });
    const searches = [
      [world.namespaceId, { query: "harbour", rerankModel: "broken:reranker" }],
      [made.id, { query: "harbour" }],
    ] as const;
    for (const [namespace, body] of searches) {
      heard.length = 0;
      const answer = await post(`/v1/namespace/${namespace}/search`, body);
      expect(expectFailure(answer, 500)).not.toContain("canary");
      expect(JSON.stringify([answer.text, answer.headers])).not.toMatch(/canary|hunter2|10\.0\.0\.7|\.ts/);
      expect(heard.map((error) => (error as Error).message)).toEqual([CANARY]);
    }
  });
});

it("a failure during a response interrupts it, and its cause is logged", async () => {
  const directory = temporaryDirectory();
  const files = fileBlobStore({ directory });
  let torn = false;
  const blobs: BlobStore = {
    ...files,
    async get(key, options) {
      const blob = await files.get(key, options);
      if (!blob || !torn) return blob;
      await blob.body.cancel();
      return { ...blob, body: ReadableStream.from(tornBytes()) };
    },
  };
  const told: unknown[] = [];
  const tearing = await startServer({ blobs }, { onError: (error) => told.push(error) });
  try {
    const { fileUrl } = await makeWorld(tearing);
    torn = true;
    const { status, text, whole } = await readWhatComes(fileUrl);
    expect(text).not.toContain("canary");
    expect(status === 500 || !whole).toBe(true);
    expect(told.map((error) => (error as Error).message)).toEqual([CANARY]);
  } finally {
    await tearing.close();
  }
});

it("a client that disconnects causes no error", async () => {
  const told: unknown[] = [];
  const moments = new EventEmitter();
  const [reached, answered] = [once(moments, "reached"), once(moments, "answered")];
  const waiting: Embedder = {
    ...fakeEmbedder({ provider: "WAITING" }),
    embed: (_, { signal }) =>
      new Promise((__, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason));
        moments.emit("reached");
      }),
  };
  const left = await startServer(
    { embedders: [providerOf(waiting)] },
    { onError: (error) => told.push(error), onRequest: ({ status }) => moments.emit("answered", status) },
  );
  try {
    const { id, key } = await newOrganization(left);
    const embeddingConfig = { provider: "WAITING" };
    await left.kb.organization(id).namespaces.create({ name: "Waiting", slug: "waiting", embeddingConfig });
    const leaving = new AbortController();
    const asked = fetch(`${left.url}/v1/namespace/waiting/search`, {
      ...{ method: "POST", headers: authorized(key), body: '{"query":"harbour"}', signal: leaving.signal },
    });
    await reached;
    leaving.abort();
    await expect(asked).rejects.toThrow();
    expect(await answered).toEqual([400]);
    expect(told).toEqual([]);
  } finally {
    await left.close();
  }
});

async function* tornBytes(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("he");
  throw new Error(CANARY);
}

/** The received part of a response, and whether it is complete. */
function readWhatComes(
  url: string,
): Promise<{ readonly status: number; readonly text: string; readonly whole: boolean }> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let text = "";
      response.on("data", (part) => {
        text += part;
      });
      response.on("error", () => {});
      response.on("close", () => resolve({ status: response.statusCode!, text, whole: response.complete }));
    }).on("error", reject);
  });
}

describe("an unsupported method", () => {
  const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "PURGE", "QUERY"];
  const methodsOf = (path: string) =>
    ROUTES.filter((route) => route.path === path).map(({ method }) => method as string);

  it.each([...new Set(ROUTES.map(({ path }) => path))])(
    "returns 404 with the supported methods: %s",
    async (template) => {
      const { method: _, ...route } = ROUTES.find(({ path }) => path === template)!;
      const path = paramsOf(route as never).reduce((text, name) => text.replace(`:${name}`, world[name]), template);
      const has = methodsOf(template);
      for (const method of METHODS.filter((each) => !has.includes(each) && !(each === "HEAD" && has.includes("GET")))) {
        const answer = await send(server.url, { method, path, headers: headers() });
        if (method === "HEAD") expect([answer.status, answer.text]).toEqual([404, ""]);
        else expectFailure(answer, 404);
        expect(answer.headers.allow?.split(", ").sort(), method).toEqual(has.toSorted());
      }
    },
  );

  it("HEAD returns the same as GET without a body", async () => {
    for (const path of ["/health", "/v1/openapi.json", "/v1/namespace", `/v1/namespace/${world.slug}/documents`]) {
      const whole = await send(server.url, { path, headers: headers() });
      const head = await send(server.url, { method: "HEAD", path, headers: headers() });
      expect([head.status, head.text]).toEqual([whole.status, ""]);
      expect(head.headers["content-type"]).toBe(whole.headers["content-type"]);
    }
    const none = await send(server.url, { method: "HEAD", path: "/v1/namespace/none", headers: headers() });
    expect([none.status, none.text]).toEqual([404, ""]);
  });
});
