import { createHash } from "node:crypto";
import { manualClock } from "lorebase/testing";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { fileBlobStore } from "#dist/blob-stores/file/blob-store.js";
import { sweepUploads } from "#dist/engine/sweep-uploads.js";
import { receiveUpload } from "#dist/resources/uploads.js";
import type { NamespaceHandle } from "../../src/namespace-handle.js";
import type { SignedUpload } from "../../src/resources/uploads.js";
import { queryDatabase, writeDatabase } from "../support/database.js";
import { failureOf, LEXICAL } from "../support/knowledge-base.js";
import { type OpenEngine, openEngine } from "../support/open-engine.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const HOUR_MS = 3_600_000;
const FILE = { fileName: "note.txt", contentType: "text/plain", fileSize: 5 };
const HELLO = Buffer.from("hello");

const clock = manualClock();
let open: OpenEngine;
beforeAll(async () => {
  open = await openEngine({ clock: () => new Date(clock.now()), publicUrl: "https://kb.example.com" });
});
afterAll(() => open.close());
let handle: NamespaceHandle;
beforeEach(async () => {
  handle = await newHandle(open);
});

let made = 0;
async function newHandle({ organization }: OpenEngine, id?: string): Promise<NamespaceHandle> {
  const view = organization(id);
  const slug = `files-${++made}`;
  return view.namespace(await view.namespaces.create({ name: "Files", slug, embeddingConfig: LEXICAL }));
}

function signedPartsOf(url: string): SignedUpload {
  const { pathname, searchParams } = new URL(url);
  const key = pathname.slice("/v1/blobs/".length);
  return { key, expires: Number(searchParams.get("expires")), signature: searchParams.get("signature")! };
}

const receive = (signed: SignedUpload, body: Buffer = HELLO) => receiveUpload(open.engine, signed, body, {});
const use = (key: string) => handle.ingestJobs.create({ payload: { type: "MANAGED_FILE", key } });
const stored = async (key: string) => {
  const found = await open.engine.blobs.get(key);
  return found && Buffer.from(await new Response(found.body).arrayBuffer()).toString();
};

it("takes bytes directly", async () => {
  const { key } = await handle.uploads.put({ fileName: "any.bin", body: HELLO });
  expect(key).toMatch(/^ns_[0-9a-f]{32}\/[0-9a-f]{32}$/);
  expect(await stored(key)).toBe("hello");
  expect((await use(key)).status).toBe("QUEUED");
});

it("takes bytes at a signed address, once, within an hour", async () => {
  const { url, key } = await handle.uploads.create(FILE);
  expect(url.startsWith(`https://kb.example.com/v1/blobs/${key}?`)).toBe(true);
  expect((await failureOf(() => use(key))).message).toContain("File not found");
  const signed = signedPartsOf(url);
  await clock.advance(HOUR_MS);
  await receive(signed);
  expect(await stored(key)).toBe("hello");
  expect((await use(key)).status).toBe("QUEUED");
  const again = await failureOf(() => receive(signed, Buffer.from("other")));
  expect(again.code).toBe("conflict");
  expect(await stored(key)).toBe("hello");
});

it("refuses bytes with another SHA-256 than the announced one, and takes the right ones then", async () => {
  const sha256 = createHash("sha256").update(HELLO).digest("hex").toUpperCase();
  const signed = signedPartsOf((await handle.uploads.create({ ...FILE, sha256 })).url);
  const error = await failureOf(() => receive(signed, Buffer.from("jello")));
  expect([error.code, error.message]).toEqual(["invalid_input", expect.stringContaining("SHA-256")]);
  expect(await stored(signed.key)).toBe(null);
  await receive(signed);
  expect(await stored(signed.key)).toBe("hello");
  const { issues } = await failureOf(() => handle.uploads.create({ ...FILE, sha256: "abc" }));
  expect(issues.map(({ field }) => field)).toEqual(["sha256"]);
});

it("refuses an address that has expired", async () => {
  const signed = signedPartsOf((await handle.uploads.create(FILE)).url);
  await clock.advance(HOUR_MS + 1);
  const error = await failureOf(() => receive(signed));
  expect([error.code, error.message]).toEqual(["forbidden", "The upload URL has expired."]);
  expect(await stored(signed.key)).toBe(null);
});

it("refuses an address that was changed, with one answer for all", async () => {
  const signed = signedPartsOf((await handle.uploads.create(FILE)).url);
  const other = signedPartsOf((await handle.uploads.create(FILE)).url);
  const changed: SignedUpload[] = [
    { ...signed, expires: signed.expires + 1 },
    { ...signed, expires: Number.NaN },
    { ...signed, key: other.key },
    { ...signed, key: `${signed.key}x` },
    { ...signed, key: "" },
    { ...signed, signature: other.signature },
    { ...signed, signature: "" },
    { ...signed, signature: `${signed.signature.slice(0, -1)}_` },
  ];
  for (const given of changed) {
    const error = await failureOf(() => receive(given));
    expect([error.code, error.message]).toEqual(["forbidden", "The upload URL is not valid."]);
  }
  await receive(signed);
});

it("refuses an address whose namespace was deleted or has changed hands", async () => {
  const signed = signedPartsOf((await handle.uploads.create(FILE)).url);
  const other = await open.organizations.create({ name: "Other" });
  const handTo = (organization: string) =>
    writeDatabase(open.directory, [
      { sql: "UPDATE namespaces SET organization_id = ? WHERE id = ?", parameters: [organization, handle.ref] },
    ]);
  const { id } = open.organization();
  await handTo(other.id);
  expect((await failureOf(() => receive(signed))).message).toBe("The upload URL is not valid.");
  await handTo(id);
  await open.organization().namespaces.delete(handle.ref);
  const error = await failureOf(() => receive(signed));
  expect([error.code, error.message]).toEqual(["forbidden", "The upload URL is not valid."]);
});

it("takes the declared type and size only, before it reads a byte", async () => {
  const declared = { ...FILE, contentType: "text/plain; charset=utf-8" };
  const signed = signedPartsOf((await handle.uploads.create(declared)).url);
  let read = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: () => {
        read = true;
      },
    },
    { highWaterMark: 0 },
  );
  for (const [field, change] of [
    ["contentType", { contentType: "text/plain" }],
    ["contentType", { contentType: "" }],
    ["size", { size: 4 }],
    ["size", { size: 6 }],
  ] as const) {
    const error = await failureOf(() => receiveUpload(open.engine, { ...signed, ...change }, body, {}));
    expect([error.code, error.issues.map((issue) => issue.field)]).toEqual(["invalid_input", [field]]);
  }
  expect(read).toBe(false);
  await receive({ ...signed, contentType: "Text/Plain ;charset=UTF-8", size: 5 });
  expect(await stored(signed.key)).toBe("hello");
});

it("names the first of several reasons to refuse", async () => {
  const signed = signedPartsOf((await handle.uploads.create(FILE)).url);
  const wrong = { ...signed, contentType: "image/png", size: 1 };
  const refusal = async (given: SignedUpload) => (await failureOf(() => receive(given))).message;
  await receive(signed);
  expect(await refusal(wrong)).toBe(
    "The upload URL has already been used or is in use. Create a new upload to send the file again.",
  );
  await clock.advance(HOUR_MS + 1);
  expect(await refusal(wrong)).toBe("The upload URL has expired.");
  expect(await refusal({ ...wrong, signature: "x" })).toBe("The upload URL is not valid.");
});

it("tells why a file was refused, also where its rest cannot be removed", async () => {
  const failing = await openEngine({
    blobs: {
      ...fileBlobStore({ directory: temporaryDirectory() }),
      delete: async () => {
        throw new Error("the store is gone");
      },
    },
  });
  onTestFinished(() => failing.close());
  const { url } = await (await newHandle(failing)).uploads.create(FILE);
  const signed = signedPartsOf(`https://kb.example.com${url}`);
  const told: unknown[] = [];
  using _errors = failing.engine.events.on("error", ({ error }) => told.push(error));
  for (const body of ["no", "shrt"]) {
    const error = await failureOf(() => receiveUpload(failing.engine, signed, Buffer.from(body), {}));
    expect(error.message).toContain("5 were announced");
  }
  expect(told).toEqual([new Error("the store is gone"), new Error("the store is gone")]);
  await receiveUpload(failing.engine, signed, HELLO, {});
});

it("is served under a path where the public address has one", async () => {
  for (const publicUrl of ["https://example.com/kb", "https://example.com/kb/"]) {
    const under = await openEngine({ publicUrl });
    onTestFinished(() => under.close());
    const { url, key } = await (await newHandle(under)).uploads.create(FILE);
    expect(url.startsWith(`https://example.com/kb/v1/blobs/${key}?expires=`)).toBe(true);
  }
});

it.each(["kb.example.com", "ftp://kb.example.com", "https://kb.example.com/?a", "https://kb.example.com/#a"])(
  "refuses %s as a public address",
  async (publicUrl) => {
    const error = await failureOf(() => openEngine({ publicUrl }));
    expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", "publicUrl"]);
  },
);

it("takes the announced size only, and again after another", async () => {
  const { url, key } = await handle.uploads.create(FILE);
  for (const body of ["hell", ""]) {
    const error = await failureOf(() => receive(signedPartsOf(url), Buffer.from(body)));
    expect(error.code).toBe("invalid_input");
    expect(error.message).toContain("5 were announced");
  }
  expect((await failureOf(() => receive(signedPartsOf(url), Buffer.from("hello!")))).code).toBe("limit_exceeded");
  expect(await stored(key)).toBe(null);
  await receive(signedPartsOf(url));
  expect(await stored(key)).toBe("hello");
});

it("announces 1 to 100 files, all or none", async () => {
  const uploads = await handle.uploads.createBatch([
    FILE,
    { ...FILE, fileName: "b.pdf", contentType: "application/pdf" },
  ]);
  expect(new Set(uploads.map(({ key }) => key)).size).toBe(2);
  for (const files of [[], Array.from({ length: 101 }, () => FILE)]) {
    expect((await failureOf(() => handle.uploads.createBatch(files))).issues[0]!.field).toBe("files");
  }
  const rows = () => queryDatabase(open.directory, "SELECT key FROM uploads");
  const before = rows().length;
  const error = await failureOf(() =>
    handle.uploads.createBatch([FILE, { ...FILE, fileName: "movie.mov", contentType: "video/quicktime" }]),
  );
  expect(error.issues.map(({ field }) => field)).toEqual(["files[1].fileName"]);
  expect(rows().length).toBe(before);
});

it("keeps to the plan's limit", async () => {
  const FREE_BYTES = 5 * 1024 * 1024;
  const PRO_BYTES = 200 * 1024 * 1024;
  for (const [plan, limit] of [
    ["free", FREE_BYTES],
    ["pro", PRO_BYTES],
    [null, PRO_BYTES],
  ] as const) {
    const { id } = await open.organizations.create({ name: "Owner", plan });
    const { uploads } = await newHandle(open, id);
    await uploads.create({ ...FILE, fileSize: limit });
    const error = await failureOf(() => uploads.create({ ...FILE, fileSize: limit + 1 }));
    expect([error.code, error.issues[0]!.field]).toEqual(["limit_exceeded", "fileSize"]);
    expect(error.message).toContain(String(limit));
  }
});

it.each<[string, object]>([
  ["fileName", { fileName: "" }],
  ["fileName", { fileName: "x".repeat(256) }],
  ["contentType", { contentType: "text" }],
  ["fileSize", { fileSize: 0 }],
  ["fileSize", { fileSize: 1.5 }],
  ["fileName", { fileName: "a.mov", contentType: "video/quicktime" }],
])("refuses a bad %s: %j", async (field, change) => {
  const error = await failureOf(() => handle.uploads.create({ ...FILE, ...change }));
  expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", field]);
});

it("removes what nothing uses a day after it was made, and nothing else", async () => {
  const unused = (await handle.uploads.put({ fileName: "unused.txt", body: HELLO })).key;
  const used = (await handle.uploads.put({ fileName: "used.txt", body: HELLO })).key;
  const { url, key: pending } = await handle.uploads.create(FILE);
  await use(used);
  await clock.advance(24 * HOUR_MS);
  await sweepUploads(open.engine);
  expect(await stored(unused)).toBe("hello");
  const young = (await handle.uploads.put({ fileName: "young.txt", body: HELLO })).key;
  await clock.advance(1);
  await sweepUploads(open.engine);
  expect(await Promise.all([unused, used, young].map(stored))).toEqual([null, "hello", "hello"]);
  const rows = queryDatabase<{ key: string }>(open.directory, "SELECT key FROM uploads");
  const own = rows.map(({ key }) => key).filter((key) => key.startsWith(`${handle.ref}/`));
  expect(own.toSorted()).toEqual([used, young].toSorted());
  expect((await failureOf(() => use(unused))).code).toBe("invalid_input");
  expect((await failureOf(() => receive({ ...signedPartsOf(url), key: pending }))).code).toBe("forbidden");
});

it("takes one of two bodies that arrive at once, and the address again after a failure", async () => {
  const { url, key } = await handle.uploads.create(FILE);
  const signed = signedPartsOf(url);
  const bodies = ["first", "other"].map((text) => Buffer.from(text));
  const outcomes = await Promise.allSettled(bodies.map((body) => receive(signed, body)));
  const accepted = outcomes.findIndex(({ status }) => status === "fulfilled");
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await stored(key)).toBe(bodies[accepted]!.toString());

  const second = await handle.uploads.create(FILE);
  expect((await failureOf(() => receive(signedPartsOf(second.url), Buffer.from("no")))).code).toBe("invalid_input");
  await receive(signedPartsOf(second.url));
  expect(await stored(second.key)).toBe("hello");
});

it("takes an address again a quarter of an hour after a sender died over it", async () => {
  const signed = signedPartsOf((await handle.uploads.create(FILE)).url);
  // As a process leaves it that is killed in the middle of a body.
  const until = clock.now() + 15 * 60_000;
  expect(await open.storage.uploads.claim({ key: signed.key, now: clock.now(), claimedUntil: until })).toBe(true);
  await clock.advance(15 * 60_000);
  expect((await failureOf(() => receive(signed))).code).toBe("conflict");
  await clock.advance(1);
  await receive(signed);
  expect(await stored(signed.key)).toBe("hello");
});

it("refuses a body that is no bytes", async () => {
  const error = await failureOf(() => handle.uploads.put({ fileName: "a.txt", body: "text" as never }));
  expect(error.code).toBe("invalid_input");
  expect(error.issues.map(({ field }) => field)).toEqual(["body"]);
});
