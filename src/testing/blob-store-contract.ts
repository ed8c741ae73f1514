import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";
import type { BlobStore } from "../interfaces/blob-store.js";
import { type ContractCase, createCaseFactory } from "./contract.js";

/**
 * Returns the contract of blob stores. `create` returns a new, empty store for each case; the case closes it.
 *
 * @example
 * for (const { name, run } of blobStoreContract(create)) test(name, run);
 */
export function blobStoreContract(create: () => Promise<BlobStore>): ContractCase[] {
  const testCase = createCaseFactory(create, (store) => store.close?.());
  return [
    testCase("returns stored bytes, with their size and SHA-256", async (store) => {
      const content = sampleBytes(200_000);
      const stored = await store.put("uploads/a.bin", content);
      assert.deepEqual(stored, { size: content.length, sha256: createHash("sha256").update(content).digest("hex") });
      const found = await store.get("uploads/a.bin");
      assert.equal(found?.size, content.length);
      assert.deepEqual(await readBytes(found), content);
    }),
    testCase("accepts bytes, blobs, streams and async iterables", async (store) => {
      const content = sampleBytes(1_000);
      await store.put("bytes", content);
      await store.put("blob", new Blob([content]));
      await store.put("stream", new Blob([content]).stream());
      await store.put("iterable", inParts(content));
      for (const key of ["bytes", "blob", "stream", "iterable"]) {
        assert.deepEqual(await readBytes(await store.get(key)), content, key);
      }
    }),
    testCase("stores an empty file", async (store) => {
      assert.equal((await store.put("empty", new Uint8Array())).size, 0);
      const found = await store.get("empty");
      assert.equal(found?.size, 0);
      assert.deepEqual(await readBytes(found), new Uint8Array());
    }),
    testCase("replaces the file of a key", async (store) => {
      await store.put("a", sampleBytes(10));
      await store.put("a", sampleBytes(5));
      assert.deepEqual(await readBytes(await store.get("a")), sampleBytes(5));
    }),
    testCase("returns null for an unknown key", async (store) => {
      assert.equal(await store.get("nothing"), null);
      await store.put("folder/file", sampleBytes(1));
      assert.equal(await store.get("folder/file/below"), null);
    }),
    testCase("returns a range, truncated to the file, and the size of the whole file", async (store) => {
      const content = sampleBytes(100_000);
      await store.put("a", content);
      for (const [start, end] of [
        [0, 10],
        [65_530, 65_550],
        [99_990, 200_000],
        [50, 50],
        [100_000, 100_001],
      ] as const) {
        const found = await store.get("a", { range: { start, end } });
        assert.equal(found?.size, content.length);
        assert.deepEqual(await readBytes(found), content.slice(start, end), `${start} to ${end}`);
      }
    }),
    testCase("accepts a file of exactly maxBytes, and refuses and removes a larger one", async (store) => {
      assert.equal((await store.put("a", inParts(sampleBytes(1_000)), { maxBytes: 1_000 })).size, 1_000);
      await assert.rejects(store.put("b", inParts(sampleBytes(1_001)), { maxBytes: 1_000 }), hasCode("limit_exceeded"));
      assert.equal(await store.get("b"), null);
    }),
    testCase("stores nothing of a failed body and keeps the previous file of the key", async (store) => {
      const failure = new Error("the source broke");
      await store.put("old", sampleBytes(3));
      for (const key of ["old", "new"]) {
        await assert.rejects(store.put(key, failAfter(sampleBytes(10), failure)), (error) => error === failure);
      }
      assert.equal(await store.get("new"), null);
      assert.deepEqual(await readBytes(await store.get("old")), sampleBytes(3));
    }),
    testCase("deletes files, including missing ones", async (store) => {
      await store.put("a", sampleBytes(3));
      await store.delete("a");
      await store.delete("a");
      assert.equal(await store.get("a"), null);
    }),
    testCase("refuses keys that could leave the store", async (store) => {
      for (const key of ["", "/etc/passwd", "../a", "a/../../b", "a//b", "a\\b", "a\0", ".hidden", "a/"]) {
        await assert.rejects(store.put(key, sampleBytes(1)), hasCode("invalid_input"), JSON.stringify(key));
        await assert.rejects(store.get(key), hasCode("invalid_input"), JSON.stringify(key));
        await assert.rejects(store.delete(key), hasCode("invalid_input"), JSON.stringify(key));
      }
    }),
    testCase("signs absolute URLs, different for PUT and GET, if it signs any", async (store) => {
      if (!store.presign) return;
      const common = { contentType: "text/plain", expiresInSeconds: 60 };
      const put = await store.presign("uploads/a.txt", { method: "PUT", size: 5, ...common });
      const get = await store.presign("uploads/a.txt", { method: "GET", fileName: "a.txt", ...common });
      for (const url of [put, get]) assert.ok(URL.canParse(url), `${url} is not absolute`);
      assert.notEqual(put, get);
    }),
    testCase(
      "takes over an upload to a presigned URL, which can't change it then, if it takes over any",
      async (store) => {
        if (!store.presign || !store.takeUpload) return;
        const request = { method: "PUT", contentType: "text/plain", size: 5, expiresInSeconds: 60 } as const;
        const url = await store.presign("uploads/a.txt", request);
        const upload = async (body: string) => {
          const { ok } = await fetch(url, { method: "PUT", body, headers: { "content-type": "text/plain" } });
          assert.ok(ok);
        };
        assert.equal(await store.takeUpload("uploads/a.txt", { size: 5 }), false);
        await upload("first");
        assert.equal(await store.get("uploads/a.txt"), null);
        assert.equal(await store.takeUpload("uploads/a.txt", { size: 6 }), false);
        const sha256 = createHash("sha256").update("first").digest("hex");
        const otherSha256 = createHash("sha256").update("other").digest("hex");
        assert.equal(await store.takeUpload("uploads/a.txt", { size: 5, sha256: otherSha256 }), false);
        for (let time = 1; time <= 2; time++)
          assert.equal(await store.takeUpload("uploads/a.txt", { size: 5, sha256 }), true);
        await upload("other");
        assert.deepEqual(await readBytes(await store.get("uploads/a.txt")), new TextEncoder().encode("first"));
      },
    ),
    testCase("stops on the caller's signal, even while it waits for the body", async (store) => {
      await assert.rejects(store.put("a", sampleBytes(1), { signal: AbortSignal.abort() }), { name: "AbortError" });
      const controller = new AbortController();
      const stalled = new ReadableStream<Uint8Array>({ pull: () => controller.abort() }, { highWaterMark: 0 });
      await assert.rejects(store.put("a", stalled, { signal: controller.signal }), { name: "AbortError" });
      assert.equal(await store.get("a"), null);
    }),
  ];
}

function hasCode(code: KnowledgeBaseError["code"]) {
  return (error: unknown) => KnowledgeBaseError.is(error, code);
}

function sampleBytes(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 0xff);
}

async function* inParts(content: Uint8Array): AsyncGenerator<Uint8Array> {
  const middle = content.length >> 1;
  yield content.subarray(0, middle);
  yield content.subarray(middle);
}

async function* failAfter(content: Uint8Array, failure: Error): AsyncGenerator<Uint8Array> {
  yield content;
  throw failure;
}

async function readBytes(found: { readonly body: ReadableStream<Uint8Array> } | null): Promise<Uint8Array | null> {
  return found === null ? null : new Uint8Array(await new Response(found.body).arrayBuffer());
}
