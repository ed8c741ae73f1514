import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectFailure } from "./support/envelope.js";
import { authorized, type Received, send } from "./support/send.js";
import { startServer, type TestServer } from "./support/test-server.js";
import { makeWorld, type World } from "./support/world.js";

let server: TestServer;
let world: World;
let theirs: World;
beforeAll(async () => {
  server = await startServer();
  world = await makeWorld(server);
  theirs = await makeWorld(server);
  await server.kb.drain();
});
afterAll(() => server.close());

const LISTS = ["namespaces", "ingest-jobs", "documents"] as const;
type ListName = (typeof LISTS)[number];

function list(name: ListName, query: string): Promise<Received> {
  const path = name === "namespaces" ? "/v1/namespace" : `/v1/namespace/${world.namespaceId}/${name}`;
  return send(server.url, { path: `${path}?${query}`, headers: authorized(world.organization.key) });
}

describe.each(LISTS)("the list of %s", (name) => {
  it.each([
    "1e2",
    "0x10",
    "%205%20",
    "5%20",
    "",
    "+5",
    "%2B5",
    "5.0",
    "05e0",
    "05",
    "00",
    "1_0",
    "Infinity",
    "NaN",
    "-0",
    "%D9%A5",
  ])("takes whole numbers in digits only: perPage=%s", async (value) => {
    for (const parameter of ["perPage", "pageSize", "page"])
      expect(expectFailure(await list(name, `${parameter}=${value}`), 422)).toMatch(/perPage|page/);
  });

  it("refuses a repeated parameter", async () => {
    for (const parameter of ["perPage=1", "order=asc", "orderBy=createdAt", "cursorDirection=forward", "unknown=1"])
      expectFailure(await list(name, `${parameter}&${parameter}`), 400);
    expectFailure(await list(name, "cursor=a&cursor=b"), 400);
    expectFailure(await list(name, "perPage[]=1&perPage[]=2"), 400);
  });

  it("refuses brackets, which would be ignored as an unknown parameter", async () => {
    for (const query of ["perPage[]=5", "perPage%5B%5D=5", "page[0]=2", "statuses[]=FAILED", "order[]=asc"])
      expect(expectFailure(await list(name, query), 400)).toMatch(/The query has ".*": give \w+ without brackets/);
  });

  it("accepts aliases and unknown parameters", async () => {
    const plain = JSON.parse((await list(name, "perPage=5")).text).data;
    expect(plain.length).toBeGreaterThan(0);
    for (const query of [
      "pageSize=5",
      "perPage=5&pageSize=90",
      "perPage=5&x=%00&__proto__=1&constructor=2",
      "perPage=5&%ff",
    ])
      expect(JSON.parse((await list(name, query)).text).data).toEqual(plain);
  });

  it("refuses an invalid cursor", async () => {
    const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const names = { namespaces: "namespaces", "ingest-jobs": "ingest-jobs", documents: "documents" };
    const own = name === "namespaces" ? names[name] : `${names[name]} of ${world.namespaceId}`;
    const cursors = [
      ...["x", "null", "%00", "..%2F..", "W10", "bnVsbA", "e30", "a".repeat(8000), "%F0%9F%98%80", "'%20OR%201=1--"],
      ...[[], {}, 7, [1], [1, own], [2, own, "desc", 1], [1, own, "desc", -0.5], [1, own, "desc", "1"]].map(cursorOf),
      cursorOf([1, own, "desc", 1e300]),
      cursorOf([1, own, "asc", 1]),
      cursorOf([1, "api-keys", "desc", 1]),
      cursorOf([1, "organizations", "desc", 1]),
    ];
    for (const cursor of cursors) expectFailure(await list(name, `cursor=${cursor}`), 400);
    expectFailure(await list(name, "cursor="), 400);
  });

  it("returns only the caller's records for any altered cursor", async () => {
    if (name === "namespaces") await world.client.createNamespace({ name: "Second", slug: `second-${name}` });
    const { nextCursor } = JSON.parse((await list(name, "perPage=1")).text).pagination;
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const seen = { refused: 0, paged: 0 };
    for (let at = 0; at < nextCursor.length; at++) {
      const other = alphabet[(alphabet.indexOf(nextCursor[at]) + 1 + (at % 62)) % 64];
      for (const replacement of [other, "", "="]) {
        const cursor = nextCursor.slice(0, at) + replacement + nextCursor.slice(at + 1);
        const answer = await list(name, `cursor=${encodeURIComponent(cursor)}`);
        expect(answer.text).not.toContain(theirs.namespaceId);
        expect(answer.text).not.toContain(theirs.organization.id);
        if (answer.status === 200) seen.paged++;
        else if (expectFailure(answer, 400)) seen.refused++;
      }
    }
    expect(seen.refused).toBeGreaterThan(seen.paged);
  });
});

it("statuses can be separated by commas or repeated", async () => {
  for (const query of ["statuses=COMPLETED,FAILED", "statuses=COMPLETED&statuses=FAILED", "statuses=,COMPLETED,"])
    expect(JSON.parse((await list("documents", query)).text).data).toHaveLength(3);
  for (const query of ["statuses=completed", "statuses=COMPLETED;FAILED", "statuses=COMPLETED,%20FAILED"])
    expectFailure(await list("documents", query), 422);
});

describe("the discard of a set of vectors", () => {
  const reembedding = () => ({
    path: `/v1/namespace/${theirs.namespaceId}/reembedding`,
    headers: authorized(theirs.organization.key),
  });
  const discard = (query: string) => {
    const { path, headers } = reembedding();
    return send(server.url, { method: "DELETE", path: `${path}?${query}`, headers });
  };

  it("takes abandonStore as true or false", async () => {
    for (const value of ["1", "", "yes", "TRUE", "true%20"])
      expect(expectFailure(await discard(`abandonStore=${value}`), 422)).toMatch(/abandonStore/);
    expect(expectFailure(await discard("abandonStores=true"), 422)).toMatch(/abandonStores/);
    const { path, headers } = reembedding();
    const body = JSON.stringify({ embeddingConfig: { provider: "MANAGED_LEXICAL" } });
    const json = { ...headers, "content-type": "application/json" };
    expect((await send(server.url, { method: "POST", path, headers: json, body })).status).toBe(201);
    expect(expectFailure(await discard("abandonStore=true"), 409)).toMatch(/are in the knowledge base/);
    expect((await discard("abandonStore=false")).status).toBe(200);
  });
});
