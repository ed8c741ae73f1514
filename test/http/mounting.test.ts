import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import type { KnowledgeBase } from "lorebase";
import { createHandler, type Handler, toNodeHandler } from "lorebase/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { start as startExpress } from "../../examples/mount/express.js";
import { start as startFastify } from "../../examples/mount/fastify.js";
import { start as startHono } from "../../examples/mount/hono.js";
import { start as startNodeHttp } from "../../examples/mount/node-http.js";
import { openKnowledgeBase } from "../support/knowledge-base.js";
import {
  call,
  createNamespace,
  ingest,
  listen,
  openSocket,
  type Running,
  testMounted,
  upload,
} from "../support/mounted.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const require = createRequire(import.meta.url);
const express4: typeof express = require("express4");

/** An Express app that parses JSON before the example mounts anything. */
function parsing(create: typeof express) {
  return create().use(create.json());
}

let kb: KnowledgeBase;
/** Without a worker: jobs stay queued, and their streams stay open. */
let idle: KnowledgeBase;
let key: string;
let idleKey: string;
beforeAll(async () => {
  kb = openKnowledgeBase();
  idle = openKnowledgeBase({ worker: false });
  [key, idleKey] = await Promise.all([newKey(kb), newKey(idle)]);
});
afterAll(async () => {
  await Promise.all([kb.close(), idle.close()]);
});

async function newKey({ apiKeys }: KnowledgeBase): Promise<string> {
  return (await apiKeys.create({ name: "test", scope: "admin" })).key;
}

const examples: [name: string, start: (kb: KnowledgeBase) => Promise<Running>, options?: { parser: boolean }][] = [
  ["node:http", (kb) => startNodeHttp(kb, 0)],
  ["Express 5", (kb) => startExpress(kb, 0)],
  ["Express 5 after express.json()", (kb) => startExpress(kb, 0, parsing(express)), { parser: true }],
  ["Express 4", (kb) => startExpress(kb, 0, express4())],
  ["Express 4 after express.json()", (kb) => startExpress(kb, 0, parsing(express4)), { parser: true }],
  ["Fastify", (kb) => startFastify(kb, 0)],
  ["Hono", (kb) => startHono(kb, 0)],
];

describe.each(examples)("the example for %s", (_name, start, options) => {
  testMounted(async () => {
    const { url, close } = await start(kb);
    return { url: `${url}/kb`, key, close };
  }, options);
});

it("an example that is run directly prints its address, and its key once", async () => {
  const directory = temporaryDirectory();
  const first = await runExample("express.ts", directory);
  const [, shown] = /API key, shown this once: (lb_\S+)/.exec(first.said) ?? [];
  const response = await fetch(`${first.url}/v1/namespace`, { headers: { authorization: `Bearer ${shown}` } });
  expect(response.status).toBe(200);
  await first.close();
  const second = await runExample("node-http.ts", directory);
  expect(second.said).toBe(`${second.url}\n`);
  await second.close();
});

it("the guide quotes the examples", () => {
  const files = ["node-http.ts", "express.ts", "fastify.ts", "hono.ts", "next/app/kb/[...path]/route.ts"];
  const lines = files.flatMap((file) => readFileSync(`examples/mount/${file}`, "utf8").split("\n"));
  const [, section] = readFileSync("docs/guide/server.md", "utf8").split("## In your own server\n");
  const [, mounts] = /```ts\n([\s\S]*?)```/.exec(section!)!;
  const said = mounts!.split("\n").filter((line) => line !== "" && !line.startsWith("//"));
  expect(lines.map((line) => line.trim())).toEqual(expect.arrayContaining(said));
});

/** Runs an example in its own process until it is interrupted. */
async function runExample(name: string, directory: string): Promise<Running & { readonly said: string }> {
  const child = spawn(process.execPath, ["--import", import.meta.resolve("tsx"), resolve("examples/mount", name)], {
    cwd: directory,
    env: { ...process.env, PORT: "0", TSX_TSCONFIG_PATH: resolve("examples/tsconfig.json") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const part of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    said += part;
    if (said.endsWith("/kb\n")) break;
  }
  const close = async () => {
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
  };
  return { url: said.trim().split("\n").at(-1)!, said, close };
}

/** Hosts that strip the prefix from the path, and hosts that keep it. */
const hosts: Record<string, (handler: Handler, prefix: string) => Promise<Running>> = {
  "node:http": (handler) => listen(createServer(toNodeHandler(handler))),
  "Express 5, cut off": (handler, prefix) => listen(createServer(express().use(prefix, toNodeHandler(handler)))),
  "Express 4, cut off": (handler, prefix) => listen(createServer(express4().use(prefix, toNodeHandler(handler)))),
  "Express 5, left": (handler, prefix) =>
    listen(createServer(express().all(`${prefix}/*path`, toNodeHandler(handler)))),
  Fastify: async (handler, prefix) => {
    const app = fastify();
    const listener = toNodeHandler(handler);
    app.all(`${prefix}/*`, { onRequest: ({ raw }, reply) => listener(raw, reply.hijack().raw) }, () => {});
    return { url: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
  },
  "Hono, cut off": (handler, prefix) => listen(honoServer(new Hono().mount(prefix, handler))),
  "Hono, left": (handler, prefix) => listen(honoServer(new Hono().all(`${prefix}/*`, ({ req }) => handler(req.raw)))),
};

function honoServer(app: Hono) {
  return createAdaptorServer({ fetch: app.fetch }) as ReturnType<typeof createServer>;
}

describe.each(Object.entries(hosts))("%s", (_name, mount) => {
  it.each(["/kb", "/v1"])("works at %s", async (basePath) => {
    const server = await mount(createHandler(kb, { basePath }), basePath);
    const mounted = { url: `${server.url}${basePath}`, key };
    try {
      expect((await fetch(`${mounted.url}/health`)).status).toBe(200);
      const namespace = await createNamespace(mounted);
      expect((await call(mounted, "GET", namespace)).status).toBe(200);
      const file = { fileName: "a.txt", contentType: "text/plain", bytes: "A" };
      const { url, response } = await upload(mounted, namespace, file);
      expect(url.startsWith(`${mounted.url}/v1/blobs/`)).toBe(true);
      expect(response.status).toBe(200);
      const unknown = await call(mounted, "GET", "/v1/nothing");
      expect(unknown.body).toMatchObject({
        error: { code: "not_found", doc_url: `${mounted.url}/api-reference/errors#not-found` },
      });
    } finally {
      await server.close();
    }
  });

  it("stops its work for a client that disconnects from a stream", async () => {
    const { handler, aborted, ended } = watched(createHandler(idle, { basePath: "/kb" }));
    const server = await mount(handler, "/kb");
    const mounted = { url: `${server.url}/kb`, key: idleKey };
    const job = await ingest(mounted, await createNamespace(mounted), "A");
    const { socket, answer } = openSocket(server.url);
    socket.write(`GET /kb${job}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${idleKey}\r\n\r\n`);
    expect(await answer(/QUEUED/)).toContain("text/event-stream");
    socket.destroy();
    await aborted;
    await ended;
    // Resolves once all connections are closed.
    await server.close();
  });
});

/** Reports when the signal of an event stream's request fires and when the stream has ended. */
function watched(inner: Handler) {
  const { promise: aborted, resolve: onAbort } = latch();
  const { promise: ended, resolve: onEnd } = latch();
  const handler: Handler = async (request) => {
    const { signal } = request;
    const response = await inner(request);
    if (response.headers.get("content-type") !== "text/event-stream") return response;
    signal.addEventListener("abort", onAbort);
    const reader = response.body!.getReader();
    reader.closed.then(onEnd, onEnd);
    const body = new ReadableStream({
      pull: async (controller) => controller.enqueue((await reader.read()).value),
      cancel: (reason) => reader.cancel(reason),
    });
    return new Response(body, response);
  };
  return { handler, aborted, ended };
}

function latch() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
