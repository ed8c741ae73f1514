import { createServer } from "node:http";
import { gzipSync } from "node:zlib";
import express, { type RequestHandler } from "express";
import type { KnowledgeBase } from "lorebase";
import { createHandler, type Handler, toNodeHandler } from "lorebase/http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openKnowledgeBase } from "../support/knowledge-base.js";
import { announce, createNamespace, JSON_FILE, listen, openSocket, type Running, upload } from "../support/mounted.js";

const MAX_BODY_BYTES = 200_000;

let kb: KnowledgeBase;
let key: string;
let server: Running | undefined;
const log = vi.spyOn(console, "error");
beforeAll(async () => {
  kb = openKnowledgeBase();
  ({ key } = await kb.apiKeys.create({ name: "test", scope: "admin" }));
});
afterAll(() => kb.close());
beforeEach(() => {
  log.mockReset().mockImplementation(() => {});
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Serves a handler behind a middleware. */
async function serve(handler: Handler, ...before: RequestHandler[]): Promise<string> {
  const app = before.length === 0 ? toNodeHandler(handler) : express().use(...before, toNodeHandler(handler));
  server = await listen(createServer(app));
  return server.url;
}

function theHandler(): Handler {
  return createHandler(kb, { limits: { maxBodyBytes: MAX_BODY_BYTES, bodyTimeoutMs: 300 } });
}

/** Sends raw text and returns everything received until the connection ends. */
function exchange(url: string, text: string): Promise<string> {
  const { socket, answer } = openSocket(url);
  socket.write(text);
  return answer();
}

function head(lines: readonly string[]): string {
  return [...lines, "Host: localhost", `Authorization: Bearer ${key}`, "Content-Type: application/json", "", ""].join(
    "\r\n",
  );
}

const POST = "POST /v1/namespace HTTP/1.1";

describe("invalid requests", () => {
  it.each([
    ["OPTIONS of the whole server", "OPTIONS * HTTP/1.1\r\nHost: localhost"],
    ["a host that is none", "GET /health HTTP/1.1\r\nHost: a[b"],
    ["a host with a path in it", "GET /health HTTP/1.1\r\nHost: localhost/v1?"],
  ])("refuses %s with the interface's 400, and goes on", async (_name, request) => {
    const url = await serve(theHandler());
    const answer = await exchange(
      url,
      `${request}\r\n\r\nGET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"success":false,"error":{"code":"bad_request"');
    expect(answer).toMatch(/\{"status":"ok"\}$/);
    expect(log).not.toHaveBeenCalled();
  });

  it("answers HTTP/1.0 without a host", async () => {
    const answer = await exchange(await serve(theHandler()), "GET /health HTTP/1.0\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{"status":"ok"\}$/);
  });
});

describe("failing handlers", () => {
  const secret = new Error("a secret of the server");
  const failing: Record<string, Handler> = {
    rejects: async () => {
      throw secret;
    },
    throws: () => {
      throw secret;
    },
  };
  it.each(Object.entries(failing))("returns a plain 500 if it %s, and never rejects", async (_name, handler) => {
    const listener = toNodeHandler(handler);
    const outcomes: unknown[] = [];
    server = await listen(
      createServer((request, response) => void listener(request, response).then((v) => outcomes.push(v))),
    );
    const response = await fetch(server.url);
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ success: false, error: { code: "internal_server_error" } });
    expect(text).not.toContain("secret");
    expect(outcomes).toEqual([undefined]);
    expect(log).toHaveBeenCalledWith(secret);
  });

  it.each([0, 1, 100])("interrupts the response if the body fails after %i parts", async (parts) => {
    let left = parts;
    const handler: Handler = async () => {
      const body = new ReadableStream({
        pull(controller) {
          if (left-- === 0) controller.error(secret);
          else controller.enqueue(new Uint8Array(1000));
        },
      });
      return new Response(body, { headers: { "content-length": "1000000" } });
    };
    const answer = await exchange(await serve(handler), "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(answer).not.toContain("secret");
    // Fewer bytes than announced, or nothing of the handler's response.
    expect(answer.startsWith("HTTP/1.1 500 ") || answer.length < 101_000).toBe(true);
  });
});

describe("bodies", () => {
  it("are refused before they are sent if their length is above the limit", async () => {
    const answer = await exchange(
      await serve(theHandler()),
      `${head([POST, `Content-Length: ${MAX_BODY_BYTES + 1}`])}{`,
    );
    // Nothing more is sent: the response needed no body, and the waiting connection ends.
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*larger than 200000 bytes/);
  });

  it("without a length are refused and no longer read at the limit", async () => {
    const handler = theHandler();
    let taken = 0;
    const url = await serve((request) => {
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform(part, controller) {
          taken += part.length;
          controller.enqueue(part);
        },
      });
      const { method, headers, body } = request;
      return handler(new Request(request.url, { method, headers, body: body!.pipeThrough(count), duplex: "half" }));
    });
    const { socket, answer } = openSocket(url);
    socket.write(head([POST, "Transfer-Encoding: chunked"]));
    const part = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const send = () => {
      while (socket.writable && socket.write(part));
    };
    socket.on("drain", send);
    send();
    // The body never ends, but there is a response and the connection ends.
    expect(await answer()).toMatch(/^HTTP\/1\.1 400 [\s\S]*larger than 200000 bytes/);
    // The part that exceeds the limit, and one in transit.
    expect(taken).toBeLessThanOrEqual(MAX_BODY_BYTES + 2 * 0x10000);
  });

  it("can arrive after their refusal without blocking the connection", async () => {
    const { socket, answer } = openSocket(await serve(theHandler()));
    socket.write(`${head([POST, `Content-Length: ${MAX_BODY_BYTES + 1}`])}{`);
    await answer(/larger than/);
    socket.write(`${" ".repeat(MAX_BODY_BYTES)}GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(await answer()).toMatch(/\{"status":"ok"\}$/);
  });

  it("are refused if they don't arrive in time", async () => {
    const answer = await exchange(await serve(theHandler()), `${head([POST, "Content-Length: 100"])}{`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*longer than 300 ms/);
  });

  it("of interrupted uploads can be sent again", async () => {
    const url = await serve(theHandler());
    const bytes = "x".repeat(1000);
    const file = { fileName: "a.txt", contentType: "text/plain", bytes };
    const announced = await announce({ url, key }, await createNamespace({ url, key }), file);
    const { pathname, search } = new URL(announced.url);
    const headers = "Host: localhost\r\nContent-Type: text/plain\r\nContent-Length: 1000";
    const { socket } = openSocket(url);
    await new Promise<void>((resolve) => {
      socket.write(`PUT ${pathname}${search} HTTP/1.1\r\n${headers}\r\n\r\nxxx`, () => resolve());
    });
    socket.destroy();
    const put = () => fetch(announced.url, { method: "PUT", headers: { "content-type": "text/plain" }, body: bytes });
    // Until the server notices the disconnect, the URL is in use.
    await expect.poll(async () => (await put()).status).toBe(200);
    expect(log).not.toHaveBeenCalled();
  });

  it("can end early when a client disconnects", async () => {
    const answered = new Promise<Response>((resolve) => {
      const inner = theHandler();
      void serve(async (request) => {
        const response = await inner(request);
        resolve(response.clone());
        return response;
      }).then((url) => {
        const { socket } = openSocket(url);
        socket.write(`${head([POST, "Content-Length: 100"])}{`, () => socket.destroy());
      });
    });
    expect((await answered).status).toBe(400);
    expect(log).not.toHaveBeenCalled();
  });
});

describe("behind a body parser", () => {
  const create = (url: string, headers: Record<string, string>, body: string | Buffer | URLSearchParams) =>
    fetch(`${url}/v1/namespace`, { method: "POST", headers: { authorization: `Bearer ${key}`, ...headers }, body });
  const JSON_TYPE = { "content-type": "application/json" };
  const namespace = (slug: string) => JSON.stringify({ name: slug, slug });

  it("reads compressed JSON", async () => {
    const url = await serve(theHandler(), express.json());
    const headers = { ...JSON_TYPE, "content-encoding": "gzip" };
    expect((await create(url, headers, gzipSync(namespace("gzip")))).status).toBe(201);
  });

  it("reads JSON that the parser kept as text or bytes", async () => {
    const url = await serve(theHandler(), express.text({ type: "application/json" }));
    expect((await create(url, JSON_TYPE, namespace("text"))).status).toBe(201);
    await server?.close();
    const raw = await serve(theHandler(), express.raw({ type: "application/json" }));
    expect((await create(raw, JSON_TYPE, namespace("raw"))).status).toBe(201);
    const { response } = await upload({ url: raw, key }, await createNamespace({ url: raw, key }), JSON_FILE);
    expect(response.status).toBe(200);
  });

  it("explains why a parsed upload is refused", async () => {
    const url = await serve(theHandler(), express.json());
    const { response } = await upload({ url, key }, await createNamespace({ url, key }), JSON_FILE);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("parsed=true") } });
  });

  it("refuses a form", async () => {
    const url = await serve(theHandler(), express.urlencoded());
    const response = await create(url, {}, new URLSearchParams({ name: "form", slug: "form" }));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("must be application/json");
  });

  it("accepts a request without a body", async () => {
    const url = await serve(theHandler(), express.json());
    const { id } = await kb.namespaces.create({ name: "Empty", slug: "empty" });
    const headers = { authorization: `Bearer ${key}` };
    for (const init of [{}, { body: "", headers: { ...headers, ...JSON_TYPE } }]) {
      const response = await fetch(`${url}/v1/namespace/${id}/warm-up`, { method: "POST", headers, ...init });
      expect(response.status).toBe(200);
    }
  });

  it("logs that a body was read but not kept", async () => {
    const url = await serve(theHandler(), (request, _response, next) => request.resume().on("end", next));
    expect((await create(url, JSON_TYPE, namespace("lost"))).status).toBe(500);
    expect(log.mock.calls[0]![0]).toMatchObject({
      message: expect.stringContaining("mount Lorebase before that handler"),
    });
  });
});
