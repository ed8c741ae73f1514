import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectFailure } from "./support/envelope.js";
import { authorized, type Received, send } from "./support/send.js";
import { tablesOf } from "./support/tables-of.js";
import { startServer, type TestServer } from "./support/test-server.js";
import { makeWorld, type World } from "./support/world.js";

const MAX_BODY_BYTES = 2000;

let server: TestServer;
let world: World;
let before: ReturnType<typeof tablesOf>;
beforeAll(async () => {
  server = await startServer({}, { limits: { maxBodyBytes: MAX_BODY_BYTES } });
  world = await makeWorld(server);
  await server.kb.drain();
});
beforeEach(async () => {
  await server.kb.drain();
  before = tablesOf(server.directory);
});
afterAll(() => server.close());

const post = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  send(server.url, {
    ...{ method: "POST", path: `/v1/namespace/${world.namespaceId}/ingest-jobs`, body },
    headers: { ...authorized(world.organization.key), ...headers },
  });
const JOB = '{"payload":{"type":"TEXT","text":"Fine."}}';
const jobOf = ({ status, text }: Received) => {
  expect([status, text]).toEqual([201, expect.any(String)]);
  return JSON.parse(text).data;
};

describe("a body is refused that", () => {
  it.each<[string, string | Uint8Array]>([
    ["is no JSON", "payload=1"],
    ["ends early", JOB.slice(0, -1)],
    ["goes on after its end", `${JOB}}`],
    ["has a comma too many", '{"payload":{"type":"TEXT","text":"x"},}'],
    ["has single quotes", "{'payload':1}"],
    ["has a comment", `${JOB}//`],
    ["has NaN", '{"payload":NaN}'],
    ["has a raw line break in a string", '{"payload":"a\nb"}'],
    ["is no UTF-8", Buffer.from([...Buffer.from('{"name":"'), 0xff, 0xfe, ...Buffer.from('"}')])],
    ["has a UTF-8 sequence cut short", Buffer.from([...Buffer.from('{"name":"'), 0xe2, 0x82, ...Buffer.from('"}')])],
    ["is UTF-16", Buffer.from(`\ufeff${JOB}`, "utf16le")],
    ["is blanks", "   "],
    ["is nested too deep", `{"payload":${"[".repeat(32)}${"]".repeat(32)}}`],
    ["is nothing but depth", "[".repeat(1900)],
    ["is a byte too large", JSON.stringify({ text: "x".repeat(MAX_BODY_BYTES - 10) })],
  ])("%s", async (_, body) => {
    expectFailure(await post(body), 400);
    expect(tablesOf(server.directory)).toEqual(before);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/jsonp",
    "json",
    "*/*",
  ])("says that it is %s", async (type) => {
    expectFailure(await post(JOB, { "content-type": type }), 400);
    expect(tablesOf(server.directory)).toEqual(before);
  });

  it.each(["gzip", "br", "identity, gzip", "x"])("is compressed: %s", async (encoding) => {
    expectFailure(await post(JOB, { "content-encoding": encoding }), 400);
    expect(tablesOf(server.directory)).toEqual(before);
  });

  it.each(["null", "[]", "[{}]", '"text"', "7", "true"])("is JSON and no object: %s", async (body) => {
    expectFailure(await post(body), 422);
    expect(tablesOf(server.directory)).toEqual(before);
  });
});

describe("a body is taken that", () => {
  it.each<[string, string | Uint8Array, Record<string, string>?]>([
    ["begins with a byte order mark", Buffer.from(`\ufeff${JOB}`)],
    ["has blanks round it", `\r\n\t ${JOB} \n`],
    ["says its character set", JOB, { "content-type": "application/json; charset=utf-8" }],
    ["says it in capitals", JOB, { "content-type": "Application/JSON" }],
    ["is some kind of JSON", JOB, { "content-type": "application/vnd.api+json" }],
    [
      "is nested as deep as may be",
      `{"payload":{"type":"TEXT","text":"Fine."},"x":${"[".repeat(31)}${"]".repeat(31)}}`,
    ],
    ["has brackets in a string", JSON.stringify({ payload: { type: "TEXT", text: `${"[".repeat(500)}\\"` } })],
  ])("%s", async (_, body, headers = {}) => {
    expect(jobOf(await post(body, headers)).payload.type).toBe("TEXT");
  });

  it("says nothing of itself", async () => {
    const { authorization } = authorized(world.organization.key);
    const path = `/v1/namespace/${world.namespaceId}/ingest-jobs`;
    jobOf(await send(server.url, { method: "POST", path, headers: { authorization: authorization! }, body: JOB }));
  });

  it("has a key twice, of which the last counts", async () => {
    const twice = '{"name":"first","payload":{"type":"TEXT","text":"a","text":"b"},"name":"second"}';
    const job = jobOf(await post(twice));
    expect([job.name, job.payload.text]).toEqual(["second", "b"]);
  });

  it("has numbers beyond what a number holds where numbers are free, or is refused", async () => {
    const metadata = (value: string) =>
      post(`{"payload":{"type":"TEXT","text":"a"},"config":{"metadata":{"n":${value}}}}`);
    expect(jobOf(await metadata("9007199254740993")).config.metadata.n).toBe(9007199254740992);
    expect(expectFailure(await metadata("1e400"), 422)).toContain("config.metadata.n");
  });

  it("is empty where no field is required", async () => {
    const path = `/v1/namespace/${world.namespaceId}`;
    const headers = authorized(world.organization.key);
    expect((await send(server.url, { method: "PATCH", path, headers })).status).toBe(200);
    expect((await send(server.url, { method: "PATCH", path, headers, body: "" })).status).toBe(200);
    expect((await send(server.url, { method: "POST", path: `${path}/warm-up`, headers, body: "" })).status).toBe(200);
    expectFailure(await post(""), 422);
  });
});

/** Writes lines to a socket as they are, and reads what comes back until the server hangs up. */
function raw(lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname, () => socket.write(lines.join("\r\n")));
    let text = "";
    socket.on("data", (part) => {
      text += part;
      // An answer that leaves the connection open is whole with its last brace.
      if (/\r\n\r\n.*\}(?:\r\n0\r\n\r\n)?$/s.test(text)) socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}

it("a connection serves on after a body of which the rest was not read", async () => {
  const path = `/v1/namespace/${world.namespaceId}/ingest-jobs`;
  const chunked = { ...authorized(world.organization.key), "transfer-encoding": "chunked", "content-length": [] };
  for (let round = 0; round < 3; round++) {
    const body = Buffer.alloc(1_000_000, " ");
    expectFailure(await send(server.url, { method: "POST", path, headers: chunked, body }), 400);
    expect((await send(server.url, { path: "/health" })).status).toBe(200);
  }
});

describe("on the wire", () => {
  const head = () => [
    `POST /v1/namespace/${world.namespaceId}/ingest-jobs HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${world.organization.key}`,
    "Content-Type: application/json",
  ];
  const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

  it("a length that is too large is refused before a byte of it has come", async () => {
    const answer = await raw([...head(), "Content-Length: 100000000", "", ""]);
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('"bad_request"');
    expect(tablesOf(server.directory)).toEqual(before);
  });

  it("a body without a length is read no further than it may be", async () => {
    const chunk = `3e8\r\n${" ".repeat(1000)}`;
    const answer = await raw([...head(), "Transfer-Encoding: chunked", "", chunk, chunk, chunk, ""]);
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain(`larger than ${MAX_BODY_BYTES} bytes`);
    expect(tablesOf(server.directory)).toEqual(before);
  });

  it("a body in chunks is as good as any", async () => {
    const parts = [JOB.slice(0, 9), JOB.slice(9)].flatMap((part) => [part.length.toString(16), part]);
    const answer = await raw([...head(), "Transfer-Encoding: chunked", "", ...parts, "0", "", ""]);
    expect(statusOf(answer)).toBe(201);
    await server.kb.drain();
  });

  it.each([
    ["two lengths", ["Content-Length: 5", "Content-Length: 42"]],
    ["a length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"]],
    ["a length that is none", ["Content-Length: 4e1"]],
    ["a folded header", ["X-Folded: a", "  b", "Content-Length: 2"]],
    ["a header with a blank before its colon", ["Content-Length : 42"]],
    ["two encodings", ["Transfer-Encoding: chunked, identity"]],
    ["17 kB of headers", [`X-Large: ${"x".repeat(17_000)}`, "Content-Length: 2"]],
  ])("%s are no request", async (_, headers) => {
    const answer = await raw([...head(), ...headers, "", JOB]);
    expect(statusOf(answer)).toBe(400);
    expect(answer.replace(/^.*?\r\n\r\n/s, "")).toMatch(/^\{"success":false,"error":\{"code":"bad_request",/);
    expect(tablesOf(server.directory)).toEqual(before);
  });
});
