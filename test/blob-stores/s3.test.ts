import { createHash } from "node:crypto";
import { KnowledgeBaseError } from "lorebase";
import { describe, expect, it, onTestFinished } from "vitest";
import { createS3BlobStore, s3 } from "#dist/blob-stores/s3/blob-store.js";
import type { S3Options } from "#dist/blob-stores/s3/options.js";
import { blobStoreContract } from "#dist/testing/blob-store-contract.js";
import type { PresignRequest } from "../../src/interfaces/blob-store.js";
import { failureOf } from "../support/knowledge-base.js";
import { quickClock } from "../support/quick-clock.js";
import { fakeS3, S3_BUCKET, S3_CREDENTIALS, S3_REGION, type S3Fault, type S3Operation } from "../support/vendors/s3.js";

const PART_BYTES = 1000;
const ATTEMPTS = 5;

async function open(options: Partial<S3Options> = {}, now?: () => number) {
  const server = await fakeS3(now && { now });
  onTestFinished(() => server.close());
  const given = { endpoint: server.endpoint, bucket: S3_BUCKET, region: S3_REGION, credentials: S3_CREDENTIALS };
  const store = createS3BlobStore({ ...given, ...options }, { partBytes: PART_BYTES, clock: quickClock() });
  onTestFinished(() => store.close?.());
  return { server, store };
}

const bytesOf = (length: number, seed = 1) => Uint8Array.from({ length }, (_, index) => (index * 31 * seed) & 0xff);
const sentBytes = async (found: { body: ReadableStream<Uint8Array> } | null) =>
  found && new Uint8Array(await new Response(found.body).arrayBuffer());

describe("contract", () => {
  for (const { name, run } of blobStoreContract(async () => (await open()).store)) it(name, run);
});

it.each([0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES, 3 * PART_BYTES + 7])(
  "stores %d bytes, in parts if they are more than one part",
  async (size) => {
    const { server, store } = await open({ prefix: "lore/base" });
    const content = bytesOf(size);
    const pieces = [content.subarray(0, size >> 2), content.subarray(size >> 2)];
    await store.put("ns/file", ReadableStream.from(pieces));
    expect(new Uint8Array(server.objects.get("lore/basens/file")!.bytes)).toEqual(content);
    expect(server.requests.filter((operation) => operation === "part").length).toBe(
      size > PART_BYTES ? Math.ceil(size / PART_BYTES) : 0,
    );
    expect(await sentBytes(await store.get("ns/file"))).toEqual(content);
  },
);

const PASSING: readonly S3Fault[] = [
  { status: 500, code: "InternalError" },
  { status: 503, code: "SlowDown" },
  "cut before",
  "cut after",
];
const OPERATIONS: readonly S3Operation[] = ["begin", "part", "complete"];
const CASES = OPERATIONS.flatMap((operation) => PASSING.map((fault) => [operation, fault] as const));

describe("an upload in parts", () => {
  it.each([...CASES, ["complete", "error after 200"] as const])(
    "survives a failure: %s, %j",
    async (operation, fault) => {
      const { server, store } = await open();
      let failures = 1;
      server.fault = (current) => (current === operation && failures-- > 0 ? fault : undefined);
      await store.put("file", bytesOf(2500));
      expect(await sentBytes(await store.get("file"))).toEqual(bytesOf(2500));
      // A request that was carried out, but whose response was lost, has begun an upload that nobody knows.
      expect(server.uploads.size).toBe(operation === "begin" && fault === "cut after" ? 1 : 0);
    },
  );

  it.each([...CASES, ["complete", "error after 200"] as const])(
    "leaves the previous file if it fails for good: %s, %j",
    async (operation, fault) => {
      const { server, store } = await open();
      await store.put("file", bytesOf(10, 3));
      server.fault = (current) => (current === operation ? fault : undefined);
      const put = store.put("file", bytesOf(2500));
      if (operation === "complete" && fault === "cut after") {
        // It was carried out, which the store finds out.
        await put;
        expect(await sentBytes(await store.get("file"))).toEqual(bytesOf(2500));
        return;
      }
      expect(await failureOf(() => put)).toMatchObject({ code: "store_failed", retryable: true });
      expect(server.requests.filter((current) => current === operation)).toHaveLength(ATTEMPTS);
      server.fault = () => undefined;
      expect(await sentBytes(await store.get("file"))).toEqual(bytesOf(10, 3));
      if (operation !== "begin") expect(server.uploads.size).toBe(0);
    },
  );

  it("is aborted if its body fails, its caller stops, or it is too large", async () => {
    const { server, store } = await open();
    const failing = async function* () {
      yield bytesOf(2500);
      throw new Error("The source broke.");
    };
    await expect(store.put("a", failing())).rejects.toThrow("The source broke.");
    await expect(store.put("a", bytesOf(2500), { maxBytes: 2400 })).rejects.toMatchObject({ code: "limit_exceeded" });
    const controller = new AbortController();
    server.fault = (operation) => {
      if (operation === "part") controller.abort();
      return undefined;
    };
    await expect(store.put("a", bytesOf(2500), { signal: controller.signal })).rejects.toThrow("abort");
    expect([server.objects.size, server.uploads.size]).toEqual([0, 0]);
  });
});

it("retries requests that fail with a transient error, and no others", async () => {
  const { server, store } = await open();
  await store.put("file", bytesOf(10));
  for (const fault of PASSING) {
    let failures = ATTEMPTS - 1;
    server.fault = () => (failures-- > 0 ? fault : undefined);
    expect(await sentBytes(await store.get("file"))).toEqual(bytesOf(10));
  }
  server.fault = () => ({ status: 403, code: "AccessDenied" });
  const before = server.requests.length;
  expect(await failureOf(() => store.get("file"))).toMatchObject({
    ...{ code: "store_failed", retryable: false, httpStatus: 403 },
    message: "S3 answered 403: AccessDenied: It failed & said so.",
  });
  expect(server.requests.length).toBe(before + 1);
});

it("fails in the middle of a body with an error that a retry may help", async () => {
  const { server, store } = await open();
  await store.put("file", bytesOf(900));
  server.fault = () => "cut within";
  const found = await store.get("file");
  expect(await failureOf(() => sentBytes(found))).toMatchObject({ code: "store_failed", retryable: true });
});

it("tells a missing bucket from a missing file", async () => {
  const { store } = await open({ bucket: "other-bucket" });
  for (const call of [() => store.get("a"), () => store.delete("a"), () => store.put("a", bytesOf(1))])
    expect((await failureOf(call)).message).toMatch(/^S3 answered 404: NoSuchBucket/);
});

describe("a presigned URL", () => {
  const upload: PresignRequest = { method: "PUT", contentType: "text/plain", size: 5, expiresInSeconds: 60 };
  const type = { "content-type": "text/plain" };

  it("stores a file of the announced size and type", async () => {
    const { store } = await open();
    const url = await store.presign!("uploads/a.txt", upload);
    expect((await fetch(url, { method: "PUT", body: "12345", headers: type })).status).toBe(200);
    expect(await store.takeUpload!("uploads/a.txt", { size: 5 })).toBe(true);
    expect(await sentBytes(await store.get("uploads/a.txt"))).toEqual(new TextEncoder().encode("12345"));
  });

  it("is taken over with the announced SHA-256 only, although its file is replaced while it is read", async () => {
    const { server, store } = await open();
    const url = await store.presign!("uploads/a.txt", upload);
    const put = (body: string) => fetch(url, { method: "PUT", body, headers: type });
    const sha256 = createHash("sha256").update("12345").digest("hex");
    await put("54321");
    expect(await store.takeUpload!("uploads/a.txt", { size: 5, sha256 })).toBe(false);
    await put("12345");
    const replaced = { bytes: Buffer.from("99999"), contentType: "text/plain", metadata: {} };
    server.fault = (operation) => {
      if (operation === "get") (server.objects as Map<string, unknown>).set("incoming/uploads/a.txt", replaced);
      return undefined;
    };
    expect(await store.takeUpload!("uploads/a.txt", { size: 5, sha256 })).toBe(false);
    server.fault = () => undefined;
    await put("12345");
    expect(await store.takeUpload!("uploads/a.txt", { size: 5, sha256 })).toBe(true);
    expect([...server.objects.keys()]).toEqual(["uploads/a.txt"]);
  });

  it.each<[string, (url: URL) => string, RequestInit]>([
    ["another size", String, { body: "123456", headers: type }],
    ["another type", String, { body: "12345", headers: { "content-type": "text/html" } }],
    ["another method", String, { method: "DELETE" }],
    ["another key", (url) => url.href.replace("a.txt", "b.txt"), { body: "12345", headers: type }],
    ["another bucket", (url) => url.href.replace(S3_BUCKET, "elsewhere"), { body: "12345", headers: type }],
    ["a longer life", (url) => url.href.replace("Expires=60", "Expires=600"), { body: "12345", headers: type }],
    ["another date", (url) => url.href.replace(/Date=\d{4}/, "Date=2099"), { body: "12345", headers: type }],
    [
      "another signature",
      (url) => url.href.replace(/.$/, (end) => (end === "0" ? "1" : "0")),
      { body: "12345", headers: type },
    ],
    ["no signed type", (url) => url.href.replace("content-type%3B", ""), { body: "12345", headers: type }],
  ])("is refused with %s", async (_, tamper, init) => {
    const { server, store } = await open();
    const url = new URL(await store.presign!("uploads/a.txt", upload));
    expect((await fetch(tamper(url), { method: "PUT", ...init })).status).toBe(403);
    expect(server.objects.size).toBe(0);
  });

  it.each<S3Fault>([...PASSING, "error after 200"])(
    "is taken over although a copy fails at first: %j",
    async (fault) => {
      const { server, store } = await open();
      const url = await store.presign!("uploads/a.txt", upload);
      await fetch(url, { method: "PUT", body: "12345", headers: type });
      let failures = 1;
      server.fault = (operation) => (operation === "copy" && failures-- > 0 ? fault : undefined);
      expect(await store.takeUpload!("uploads/a.txt", { size: 5 })).toBe(true);
      expect([...server.objects.keys()]).toEqual(["uploads/a.txt"]);
    },
  );

  it("expires", async () => {
    const { store } = await open({}, () => Date.now() + 61_000);
    const url = await store.presign!("uploads/a.txt", upload);
    expect((await fetch(url, { method: "PUT", body: "12345", headers: type })).status).toBe(403);
  });

  it("downloads under any file name", async () => {
    const { store } = await open();
    await store.put("a", bytesOf(3));
    const names = { fileName: 'Übersicht "1"; (a).pdf', contentType: "application/pdf" };
    const response = await fetch(await store.presign!("a", { method: "GET", ...names, expiresInSeconds: 60 }));
    expect(response.headers.get("content-type")).toBe("application/pdf");
    expect(response.headers.get("content-disposition")).toContain(
      "filename*=UTF-8''%C3%9Cbersicht%20%221%22%3B%20%28a%29.pdf",
    );
    expect(await sentBytes({ body: response.body! })).toEqual(bytesOf(3));
  });
});

it("counts the uploads that were begun and never ended, under its prefix", async () => {
  const begun = Date.parse("2026-01-02T03:04:05Z");
  let time = begun;
  const { server, store } = await open({ prefix: "lore/" }, () => time);
  expect(await store.countUnfinishedUploads()).toEqual({ count: 0, oldest: null });
  for (const key of ["a", "b", "c"]) {
    server.fault = (operation) =>
      operation === "part" || operation === "abort" ? { status: 403, code: "No" } : undefined;
    await failureOf(() => store.put(key, bytesOf(2500)));
    time += 1000;
  }
  server.fault = () => undefined;
  await store.put("whole", bytesOf(2500));
  expect(await store.countUnfinishedUploads()).toEqual({ count: 3, oldest: new Date(begun) });
});

it("refuses a whole object where it asked for a range", async () => {
  const { server, store } = await open();
  await store.put("a", bytesOf(10));
  server.ignoresRanges = true;
  const failure = await failureOf(() => store.get("a", { range: { start: 2, end: 4 } }));
  expect(failure).toMatchObject({ code: "store_failed", message: expect.stringContaining("ignored the Range header") });
});

it("asks a function for credentials before each request", async () => {
  let calls = 0;
  const credentials = async () => {
    calls++;
    return { ...S3_CREDENTIALS, sessionToken: `token-${calls}` };
  };
  const { store } = await open({ credentials });
  await store.put("a", bytesOf(1));
  const url = await store.presign!("a", { method: "GET", fileName: "a", contentType: "a/b", expiresInSeconds: 9 });
  expect(new URL(url).searchParams.get("X-Amz-Security-Token")).toBe("token-2");
});

it("builds the URL of the bucket", async () => {
  const request: PresignRequest = { method: "GET", fileName: "a", contentType: "a/b", expiresInSeconds: 9 };
  const urlOf = async (options: Partial<S3Options>) =>
    (await s3({ bucket: "books", credentials: S3_CREDENTIALS, ...options }).presign!("a", request)).split("?")[0];
  expect(await urlOf({})).toBe("https://books.s3.us-east-1.amazonaws.com/a");
  expect(await urlOf({ region: "eu-west-3", prefix: "p/" })).toBe("https://books.s3.eu-west-3.amazonaws.com/p/a");
  expect(await urlOf({ bucket: "my.books" })).toBe("https://s3.us-east-1.amazonaws.com/my.books/a");
  expect(await urlOf({ endpoint: "https://s3.example/store/" })).toBe("https://s3.example/store/books/a");
  expect(await urlOf({ endpoint: "https://s3.example", pathStyle: false })).toBe("https://books.s3.example/a");
});

it.each<[Partial<S3Options> & object, RegExp]>([
  [{ bucket: "Books" }, /^s3\.bucket: /],
  [{ endpoint: "s3.example" }, /^s3\.endpoint: /],
  [{ prefix: "../up" }, /^s3\.prefix: /],
  [{ credentials: { accessKeyId: "", secretAccessKey: "x" } }, /^s3\.credentials\.accessKeyId: /],
  [{ buckets: "x" } as object, /did you mean "bucket"/],
])("names the option that is wrong: %j", (options, message) => {
  const failure = () => s3({ bucket: "books", credentials: S3_CREDENTIALS, ...options });
  expect(failure).toThrow(KnowledgeBaseError);
  expect(failure).toThrow(message);
});
