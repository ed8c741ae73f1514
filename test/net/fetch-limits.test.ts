import { once } from "node:events";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { guarded } from "../support/guarded.js";
import { failureOf } from "../support/knowledge-base.js";
import { listener } from "../support/listener.js";

const allowPrivateHosts = ["127.0.0.1"];
const SLOW = {
  graceMs: 0,
  windowMs: 60_000,
  bytesPerSecond: 1000,
  averageAfterMs: 60_000,
  averageBytesPerSecond: 1000,
};

it("counts what a compressed body holds, not what it weighs", async () => {
  const zeros = new Uint8Array(8 * 1024 * 1024);
  const bombs = { gzip: gzipSync(zeros), br: brotliCompressSync(zeros), "gzip, gzip": gzipSync(gzipSync(zeros)) };
  for (const [encoding, bomb] of Object.entries(bombs)) {
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const server = await listener((_, out) => out.writeHead(200, { "content-encoding": encoding }).end(bomb));
    const response = await guarded({ allowPrivateHosts, limits: { maxBytes: 1024 * 1024 } })(
      `http://127.0.0.1:${server.port}/`,
    );
    const error = await failureOf(() => response.arrayBuffer());
    expect([error.code, error.retryable], encoding).toEqual(["limit_exceeded", false]);
    expect(error.message).toContain("1048576 bytes");
  }
});

it("takes exactly as much as it may, and one byte more is too much, announced or not", async () => {
  const server = await listener((request, out) => {
    const bytes = Buffer.alloc(Number(request.url!.slice(2)), "x");
    if (request.url!.startsWith("/a")) out.setHeader("content-length", bytes.length);
    out.write(bytes);
    out.end();
  });
  const fetch = guarded({ allowPrivateHosts, limits: { maxBytes: 1000 } });
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
  for (const kind of ["a", "b"]) {
    expect((await read(`/${kind}1000`)).length).toBe(1000);
    expect((await failureOf(() => read(`/${kind}1001`))).code).toBe("limit_exceeded");
  }
  const own = await fetch(`http://127.0.0.1:${server.port}/b1001`, { limits: { maxBytes: 1001 } });
  expect((await own.text()).length).toBe(1001);
});

it("reads no JSON that is deeper or has more lists and values than allowed, in whatever pieces it comes", async () => {
  const server = await listener((request, out) => {
    const bodies: Readonly<Record<string, string>> = {
      "/deep": "[".repeat(1000),
      "/lists": `[${"[],".repeat(1000)}[]]`,
      "/values": `[${"1,".repeat(1000)}1]`,
      "/strings": JSON.stringify(['[[[[[[\\"[[[[[', ...Array.from({ length: 50 }, () => ",")]),
      "/text": `no JSON: ${"[".repeat(1000)}`,
      "/exact": `${"[".repeat(10)}${"]".repeat(10)}`,
    };
    const body = Buffer.from(bodies[request.url!]!);
    for (let at = 0; at < body.length; at += 7) out.write(body.subarray(at, at + 7));
    out.end();
  });
  const json = { maxDepth: 10, maxContainers: 100, maxValues: 500 };
  const fetch = guarded({ allowPrivateHosts, limits: { json } });
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
  const refusals = [];
  for (const path of ["/deep", "/lists", "/values"]) {
    const { code, message } = await failureOf(() => read(path));
    refusals.push([code, message.replace(/.*:\d+ /, "")]);
  }
  expect(refusals).toEqual([
    ["limit_exceeded", "is nested deeper than 10 levels."],
    ["limit_exceeded", "has more than 100 arrays and objects."],
    ["limit_exceeded", "has more than 500 values."],
  ]);
  for (const path of ["/strings", "/text", "/exact"]) expect((await read(path)).length, path).toBeGreaterThan(0);
});

it("leaves a body that never ends, and closes its connection", async () => {
  let closed: Promise<unknown> | null = null;
  const server = await listener((_, out) => {
    closed = once(out, "close");
    const more = () => {
      while (!out.destroyed && out.write(Buffer.alloc(65536)));
      if (!out.destroyed) out.once("drain", more);
    };
    more();
  });
  const fetch = guarded({ allowPrivateHosts, limits: { maxBytes: 5_000_000 } });
  const error = await failureOf(async () => (await fetch(`http://127.0.0.1:${server.port}/`)).arrayBuffer());
  expect(error.code).toBe("limit_exceeded");
  await closed;
});

it("closes the connection of a body that the caller cancels", async () => {
  let closed: Promise<unknown> | null = null;
  const server = await listener((_, out) => {
    closed = once(out, "close");
    out.writeHead(200).write("first");
  });
  const response = await guarded({ allowPrivateHosts })(`http://127.0.0.1:${server.port}/`);
  await response.body?.cancel();
  await closed;
});

it.each([
  ["headers that never come", { headersMs: 50 }, "/never", "does not respond"],
  ["a body that stops", { idleMs: 50 }, "/stops", "stalled: no data for 0.05 s"],
  ["a body that drips", { totalMs: 200 }, "/drips", "timed out after 0.2 s"],
  ["a body that comes too slowly", { minimumRate: { ...SLOW, windowMs: 100 } }, "/drips", "too slow"],
  ["a body that stays slow", { minimumRate: { ...SLOW, averageAfterMs: 100 } }, "/drips", "too slow"],
  ["redirects that take their time", { totalMs: 200 }, "/wanders", "timed out after 0.2 s"],
])("ends %s", async (_, limits, path, message) => {
  const server = await listener((request, out) => {
    if (request.url === "/never") return;
    if (request.url === "/wanders") {
      setTimeout(() => out.writeHead(302, { location: "/wanders" }).end(), 60);
      return;
    }
    out.writeHead(200).write("first");
    if (request.url === "/stops") return;
    const drip = setInterval(() => out.write("."), 20);
    out.on("close", () => clearInterval(drip));
  });
  const fetch = guarded({ allowPrivateHosts, limits: { maxRedirects: 100, ...limits } });
  const error = await failureOf(async () => (await fetch(`http://127.0.0.1:${server.port}${path}`)).text());
  expect([error.code, error.retryable]).toEqual(["provider_failed", true]);
  expect(error.message).toContain(message);
});

it.each([
  ["a body that ends early", { "content-length": "100" }, "half"],
  ["a body that is not compressed as it says", { "content-encoding": "gzip" }, "no gzip at all"],
])("calls %s broken off, and worth another try", async (_, headers, body) => {
  const server = await listener((__, out) => {
    out.writeHead(200, headers).write(body, () => out.destroy());
  });
  const response = await guarded({ allowPrivateHosts })(`http://127.0.0.1:${server.port}/`);
  const error = await failureOf(() => response.text());
  expect([error.code, error.retryable]).toEqual(["provider_failed", true]);
  expect(error.message).toContain("was interrupted");
});

it("refuses headers beyond bounds and encodings without end", async () => {
  const server = await listener((request, out) => {
    if (request.url === "/headers") out.setHeader("x-long", "x".repeat(100_000));
    else out.setHeader("content-encoding", Array(30).fill("gzip").join(", "));
    out.end("x");
  });
  const fetch = guarded({ allowPrivateHosts });
  for (const path of ["/headers", "/encodings"]) {
    const error = await failureOf(async () => (await fetch(`http://127.0.0.1:${server.port}${path}`)).text());
    expect(error.code, path).toBe("provider_failed");
  }
});

it("refuses the ports that Fetch blocks, whose protocols could be spoken by accident", async () => {
  const fetch = guarded({ allowPrivateHosts });
  for (const port of [22, 25, 110, 143, 6667]) {
    expect((await failureOf(() => fetch(`http://127.0.0.1:${port}/`))).message).toContain("does not respond");
  }
});
