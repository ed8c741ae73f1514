import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { KnowledgeBase } from "lorebase";
import { createHandler } from "lorebase/http";
import { expect, it, onTestFinished } from "vitest";
import { listener } from "./support/listener.js";
import { keyedEmbedder, keyedStore } from "./support/secret-provider.js";
import { storedBytes } from "./support/stored-bytes.js";
import { temporaryDirectory } from "./support/temporary-directory.js";

/** No part of it that is long enough to find stands anywhere else. */
const EMBEDDING_KEY = "sk-Zq7Canary1/+Embedding=9Xw";
const STORE_KEY = "pk-Zq7Canary2-Store-4Ty8Uv";
const PASSWORD = "Zq7Canary3Password";
const HEADER = "Zq7Canary4Header";

/** Every spelling by which a canary could have been written down. */
const TRACES = [EMBEDDING_KEY, STORE_KEY, PASSWORD, HEADER].flatMap((canary) => {
  const hex = Buffer.from(canary).toString("hex");
  // Its own characters are those that no byte before or after it has a part in.
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from("x".repeat(offset) + canary)
      .toString("base64")
      .slice(offset === 0 ? 0 : 4, -4),
  );
  return [
    ...[canary, canary.slice(0, 14), encodeURIComponent(canary), JSON.stringify(canary).slice(1, -1)],
    ...[...base64, ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"))],
    ...[hex, hex.toUpperCase()],
  ];
});

function tracesIn(text: string): string[] {
  return TRACES.filter((trace) => text.includes(trace));
}

/** Everything that an error can be made to say. */
function allOf(error: unknown): string {
  const parts = [inspect(error, { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null })];
  for (let at = error; at instanceof Error; at = at.cause) {
    parts.push(
      at.message,
      at.stack ?? "",
      JSON.stringify(at),
      String(at),
      JSON.stringify(Object.getOwnPropertyDescriptors(at)),
    );
  }
  return parts.join("\n");
}

/** Services that repeat the whole header, as some gateways do, in encodings of which none shows the key as it is. */
function encodedEchoes() {
  const echo = (encode: (header: string) => string) => (key: string) => [
    403,
    JSON.stringify({ error: { message: `Denied: ${encode(`Bearer ${key}`)}`, request: encode(key) } }),
  ];
  const base64 = (before: string) => echo((header) => Buffer.from(before + header).toString("base64"));
  return {
    "/echoes-base64": base64(""),
    "/echoes-base64-moved-by-one": base64("x"),
    "/echoes-base64-moved-by-two": base64("xx"),
    "/echoes-base64url": echo((header) => Buffer.from(header).toString("base64url")),
    "/echoes-basic": echo((header) => `Basic ${Buffer.from(`user:${header}`).toString("base64")}`),
    "/echoes-hex": echo((header) => Buffer.from(header).toString("hex")),
    "/echoes-capital-hex": echo((header) => Buffer.from(header).toString("hex").toUpperCase()),
  };
}

/** How the fake service answers, by what stands in the path of its endpoint. */
const VENDOR = {
  "/works": (key: string) => [200, `{"echo":${JSON.stringify(key)}}`],
  "/refuses": () => [401, '{"error":"The key is wrong."}'],
  "/echoes": (key: string) => [401, JSON.stringify({ error: `Incorrect API key provided: ${key}` })],
  "/echoes-in-url": (key: string) => [403, `No access for ?key=${encodeURIComponent(key)} today`],
  ...encodedEchoes(),
  "/shortens": (key: string) => [500, `Internal error near ${key.slice(0, 18)}...`],
  "/babbles": (key: string) => [200, `<html>${key}</html>`],
} as const;

it("leaves no trace of a key: not in files, events, errors, records, answers and logs", async () => {
  const service = await listener((request, out) => {
    const { pathname } = new URL(request.url!, "http://vendor");
    const key = request.headers.authorization?.replace("Bearer ", "") ?? "";
    const [status, body] = VENDOR[pathname as keyof typeof VENDOR](key) as [number, string];
    out.writeHead(status, { "x-echo": key }).end(body);
  });
  const directory = temporaryDirectory();
  const heard: string[] = [];
  const hear = (value: unknown) => void heard.push(inspect(value, { depth: 12, showHidden: true }), allOf(value));
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    const plain = console[method];
    console[method] = hear;
    onTestFinished(() => {
      console[method] = plain;
    });
  }
  const kb = new KnowledgeBase({
    directory,
    embedders: [keyedEmbedder],
    vectorStores: [keyedStore],
    defaultEmbedding: { provider: "MANAGED_LEXICAL" },
    network: { allowPrivateHosts: ["127.0.0.1"] },
    limits: { attempts: 1 },
  });
  onTestFinished(() => kb.close());
  for (const type of [
    "job.status",
    "document.status",
    "document.progress",
    "crawl.progress",
    "crawl.ended",
    "warning",
    "error",
    "model.progress",
  ] as const) {
    kb.on(type, hear);
  }
  let answered = 0;
  const statuses = new Set<number>();
  const errors: unknown[] = [];
  const call = async (work: () => Promise<unknown>) => {
    try {
      hear(await work());
    } catch (error) {
      errors.push(error);
      hear(error);
    }
  };
  const { key: bearer } = await kb.apiKeys.create({ name: "test", scope: "admin" });
  const handler = createHandler(kb, { onError: hear, onRequest: hear });
  const http = async (method: string, path: string, body?: unknown) => {
    const init = { method, headers: { "content-type": "application/json", authorization: `Bearer ${bearer}` } };
    const response = await handler(
      new Request(`http://kb.example${path}`, body === undefined ? init : { ...init, body: JSON.stringify(body) }),
    );
    statuses.add(response.status);
    answered++;
    heard.push(JSON.stringify([...response.headers]), await response.text());
  };

  const paths = Object.keys(VENDOR);
  for (const [index, path] of paths.entries()) {
    const endpoint = `http://127.0.0.1:${service.port}${path}`;
    const embeddingConfig = { provider: "KEYED", endpoint, apiKey: EMBEDDING_KEY };
    const vectorStoreConfig = { provider: "KEYED_STORE", endpoint, apiKey: STORE_KEY };
    const working = `http://127.0.0.1:${service.port}/works`;
    const configs = [
      { embeddingConfig, vectorStoreConfig: { ...vectorStoreConfig, endpoint: working } },
      { embeddingConfig: { ...embeddingConfig, endpoint: working }, vectorStoreConfig },
    ];
    for (const [side, config] of configs.entries()) {
      const slug = `space-${index}-${side}`;
      await call(() => kb.namespaces.create({ name: slug, slug, ...config }));
      await call(async () => (await kb.ingest(slug, { type: "TEXT", text: "A lamp burns." })).done());
      await call(() => kb.search(slug, "a lamp", { mode: "semantic" }));
      await call(() => kb.search(slug, "a lamp", { mode: "hybrid", explain: true }));
      await call(() => kb.namespaces.warmUp(slug));
      await call(() => kb.documents.list(slug));
      await call(() => kb.ingestJobs.list(slug));
      for (const route of ["", "/documents", "/ingest-jobs"]) await http("GET", `/v1/namespace/${slug}${route}`);
      await http("POST", `/v1/namespace/${slug}/search`, { query: "lamp", mode: "semantic" });
    }
    await http("POST", "/v1/namespace", { name: "Over HTTP", slug: `http-${index}`, embeddingConfig });
  }
  await http("GET", "/v1/namespace");

  const tooLong = { provider: "KEYED", endpoint: "http://127.0.0.1/", apiKey: EMBEDDING_KEY.repeat(9) };
  for (const embeddingConfig of [
    tooLong,
    { ...tooLong, apiKey: [EMBEDDING_KEY] },
    { ...tooLong, apiKei: EMBEDDING_KEY },
  ]) {
    await call(() => kb.namespaces.create({ name: "Bad", slug: "bad", embeddingConfig }));
    await http("POST", "/v1/namespace", { name: "Bad", slug: "bad", embeddingConfig });
  }
  const crawl = { type: "CRAWL", url: `https://me:${PASSWORD}@10.0.0.1/`, headers: { "x-token": HEADER } } as const;
  await call(async () => (await kb.ingest("space-0-0", crawl)).done());
  await call(() => kb.rotateKeys());
  await call(() => kb.ingestJobs.list("space-0-0"));

  const files = () =>
    readdirSync(directory, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name !== "secret.key",
    );
  const stored = () => {
    const database = [...storedBytes(directory).values()];
    expect(database.length).toBeGreaterThan(0);
    const others = files().map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
    return [...database, ...others].flatMap((bytes) => tracesIn(bytes.toString("latin1")));
  };
  const open = stored();
  await kb.close();
  const closed = stored();
  hear(kb);

  expect([open, closed]).toEqual([[], []]);
  expect(heard.filter((text) => tracesIn(text).length > 0).map((text) => text.slice(0, 2000))).toEqual([]);
  // The services were called with the keys, and what went wrong was told, without them.
  expect(service.hits).toBeGreaterThan(0);
  expect(answered).toBeGreaterThan(50);
  expect([...statuses].toSorted()).toEqual([200, 201, 422, 500]);
  expect(errors.length).toBeGreaterThan(20);
  const told = heard.join("\n");
  for (const text of [
    "Incorrect API key provided: ••••",
    "The key is wrong.",
    "••••=9Xw",
    "Denied: ••••",
    "Denied: Basic ••••",
  ])
    expect(told).toContain(text);
});
