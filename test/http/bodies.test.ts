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

describe("refuses a body that", () => {
  it.each<[string, string | Uint8Array]>([
    ["is not JSON", "payload=1"],
    ["ends early", JOB.slice(0, -1)],
    ["continues after its end", `${JOB}}`],
    ["has a trailing comma", '{"payload":{"type":"TEXT","text":"x"},}'],
    ["has single quotes", "{'payload':1}"],
    ["has a comment", `${JOB}//`],
    ["has NaN", '{"payload":NaN}'],
    ["has a raw line break in a string", '{"payload":"a\nb"}'],
    ["is not UTF-8", Buffer.from([...Buffer.from('{"name":"'), 0xff, 0xfe, ...Buffer.from('"}')])],
    ["has a truncated UTF-8 sequence", Buffer.from([...Buffer.from('{"name":"'), 0xe2, 0x82, ...Buffer.from('"}')])],
    ["is UTF-16", Buffer.from(`\ufeff${JOB}`, "utf16le")],
    ["is only white space", "   "],
    ["is nested too deeply", `{"payload":${"[".repeat(32)}${"]".repeat(32)}}`],
    ["is only opening brackets", "[".repeat(1900)],
    ["is one byte too large", JSON.stringify({ text: "x".repeat(MAX_BODY_BYTES - 10) })],
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

  it.each(["null", "[]", "[{}]", '"text"', "7", "true"])("is JSON but not an object: %s", async (body) => {
    expectFailure(await post(body), 422);
    expect(tablesOf(server.directory)).toEqual(before);
  });
});

describe("accepts a body that", () => {
  it.each<[string, string | Uint8Array, Record<string, string>?]>([
    ["starts with a byte order mark", Buffer.from(`\ufeff${JOB}`)],
    ["has white space around it", `\r\n\t ${JOB} \n`],
    ["has a character set in its type", JOB, { "content-type": "application/json; charset=utf-8" }],
    ["has its type in upper case", JOB, { "content-type": "Application/JSON" }],
    ["has a JSON-based type", JOB, { "content-type": "application/vnd.api+json" }],
    [
      "is nested as deep as may be",
      `{"payload":{"type":"TEXT","text":"Fine."},"x":${"[".repeat(31)}${"]".repeat(31)}}`,
    ],
    ["has brackets in a string", JSON.stringify({ payload: { type: "TEXT", text: `${"[".repeat(500)}\\"` } })],
  ])("%s", async (_, body, headers = {}) => {
    expect(jobOf(await post(body, headers)).payload.type).toBe("TEXT");
  });

  it("has no content type", async () => {
    const { authorization } = authorized(world.organization.key);
    const path = `/v1/namespace/${world.namespaceId}/ingest-jobs`;
    jobOf(await send(server.url, { method: "POST", path, headers: { authorization: authorization! }, body: JOB }));
  });

  it("has a key twice, of which it uses the last", async () => {
    const twice = '{"name":"first","payload":{"type":"TEXT","text":"a","text":"b"},"name":"second"}';
    const job = jobOf(await post(twice));
    expect([job.name, job.payload.text]).toEqual(["second", "b"]);
  });

  it("has numbers out of range in free metadata, or refuses it", async () => {
    const metadata = (value: string) =>
      post(`{"payload":{"type":"TEXT","text":"a"},"config":{"metadata":{"n":${value}}}}`);
    expect(jobOf(await metadata("9007199254740993")).config.metadata.n).toBe(9007199254740992);
    expect(expectFailure(await metadata("1e400"), 422)).toContain("config.metadata.n");
  });

  it("is empty if no field is required", async () => {
    const path = `/v1/namespace/${world.namespaceId}`;
    const headers = authorized(world.organization.key);
    expect((await send(server.url, { method: "PATCH", path, headers })).status).toBe(200);
    expect((await send(server.url, { method: "PATCH", path, headers, body: "" })).status).toBe(200);
    expect((await send(server.url, { method: "POST", path: `${path}/warm-up`, headers, body: "" })).status).toBe(200);
    expectFailure(await post(""), 422);
  });
});

/** Writes raw lines to a socket and reads until the server closes the connection. */
function raw(lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname, () => socket.write(lines.join("\r\n")));
    let text = "";
    socket.on("data", (part) => {
      text += part;
      // A response on a connection that stays open is complete with its last brace.
      if (/\r\n\r\n.*\}(?:\r\n0\r\n\r\n)?$/s.test(text)) socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}

it("a connection can be used again after a body that was not read to its end", async () => {
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

  it("refuses a declared length above the limit before the body arrives", async () => {
    const answer = await raw([...head(), "Content-Length: 100000000", "", ""]);
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain('"bad_request"');
    expect(tablesOf(server.directory)).toEqual(before);
  });

  it("stops reading a body without a length at the limit", async () => {
    const chunk = `3e8\r\n${" ".repeat(1000)}`;
    const answer = await raw([...head(), "Transfer-Encoding: chunked", "", chunk, chunk, chunk, ""]);
    expect(statusOf(answer)).toBe(400);
    expect(answer).toContain(`larger than ${MAX_BODY_BYTES} bytes`);
    expect(tablesOf(server.directory)).toEqual(before);
  });

  it("accepts a chunked body", async () => {
    const parts = [JOB.slice(0, 9), JOB.slice(9)].flatMap((part) => [part.length.toString(16), part]);
    const answer = await raw([...head(), "Transfer-Encoding: chunked", "", ...parts, "0", "", ""]);
    expect(statusOf(answer)).toBe(201);
    await server.kb.drain();
  });

  it.each([
    ["two lengths", ["Content-Length: 5", "Content-Length: 42"]],
    ["a length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"]],
    ["an invalid length", ["Content-Length: 4e1"]],
    ["a folded header", ["X-Folded: a", "  b", "Content-Length: 2"]],
    ["a header with a space before its colon", ["Content-Length : 42"]],
    ["two encodings", ["Transfer-Encoding: chunked, identity"]],
    ["17 kB of headers", [`X-Large: ${"x".repeat(17_000)}`, "Content-Length: 2"]],
  ])("%s are no request", async (_, headers) => {
    const answer = await raw([...head(), ...headers, "", JOB]);
    expect(statusOf(answer)).toBe(400);
    expect(answer.replace(/^.*?\r\n\r\n/s, "")).toMatch(/^\{"success":false,"error":\{"code":"bad_request",/);
    expect(tablesOf(server.directory)).toEqual(before);
  });
});
