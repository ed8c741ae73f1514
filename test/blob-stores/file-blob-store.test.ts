import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { fileBlobStore } from "#dist/blob-stores/file/blob-store.js";
import { blobStoreContract } from "#dist/testing/blob-store-contract.js";
import { presigningStore } from "../support/presigning-store.js";

const made: string[] = [];
afterEach(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true });
});

function folder() {
  const directory = mkdtempSync(join(realpathSync(tmpdir()), "lorebase-blobs-"));
  made.push(directory);
  return directory;
}

const filesIn = (directory: string) => readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();

describe("contract", () => {
  for (const { name, run } of blobStoreContract(async () => fileBlobStore({ directory: folder() }))) it(name, run);
});

describe("contract of a store that signs for itself", () => {
  for (const { name, run } of blobStoreContract(async () => presigningStore(folder()))) it(name, run);
});

it("makes its directory at the first put, not before", async () => {
  const directory = join(folder(), "deep/inside");
  const store = fileBlobStore({ directory });
  expect(await store.get("a")).toBeNull();
  await store.delete("a");
  expect(existsSync(directory)).toBe(false);
  await store.put("a", new Uint8Array(1));
  expect(existsSync(join(directory, "a"))).toBe(true);
});

it("leaves nothing but the blobs behind, whatever fails", async () => {
  const directory = folder();
  const store = fileBlobStore({ directory });
  await store.put("ns/doc", new Uint8Array(10));
  await store.put("ns/big", new Uint8Array(10), { maxBytes: 5 }).catch(() => {});
  await store.put("ns/aborted", new Uint8Array(10), { signal: AbortSignal.abort() }).catch(() => {});
  const broken = new ReadableStream<Uint8Array>({ pull: (stream) => stream.error(new Error("broken")) });
  await store.put("ns/broken", broken).catch(() => {});
  expect(filesIn(directory)).toEqual([".tmp", "ns", "ns/doc"]);
});

it("names the file and the system's error if it can't be read", async () => {
  const directory = folder();
  const store = fileBlobStore({ directory });
  mkdirSync(join(directory, "ns", "doc"), { recursive: true });
  const blob = await store.get("ns/doc");
  await expect(new Response(blob!.body).arrayBuffer()).rejects.toMatchObject({
    code: "store_failed",
    message: expect.stringMatching(/^The stored file ns\/doc could not be read: EISDIR: /),
  });
});

it("shows a reader the file that was there when it began", async () => {
  const store = fileBlobStore({ directory: folder() });
  await store.put("a", new Uint8Array([1, 2, 3]));
  const reading = await store.get("a");
  await store.put("a", new Uint8Array([9]));
  expect(new Uint8Array(await new Response(reading!.body).arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]));
});

it("ends the source of a put that is refused half way", async () => {
  const store = fileBlobStore({ directory: folder() });
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (stream) => stream.enqueue(new Uint8Array(100)),
    cancel: () => {
      cancelled = true;
    },
  });
  await expect(store.put("a", endless, { maxBytes: 1_000 })).rejects.toMatchObject({ code: "limit_exceeded" });
  expect(cancelled).toBe(true);
});

it("stops reading when the caller's signal ends", async () => {
  const store = fileBlobStore({ directory: folder() });
  await store.put("a", new Uint8Array(200_000));
  const controller = new AbortController();
  const reader = (await store.get("a", { signal: controller.signal }))!.body.getReader();
  expect((await reader.read()).value?.length).toBeGreaterThan(0);
  controller.abort();
  await expect(reader.read()).rejects.toMatchObject({ name: "AbortError" });
});

it("sweeps what a crash left more than an hour ago, and nothing younger", async () => {
  const directory = folder();
  mkdirSync(join(directory, ".tmp"));
  for (const name of ["old", "young"]) writeFileSync(join(directory, ".tmp", name), "part");
  const twoHoursAgo = Date.now() / 1_000 - 7_200;
  utimesSync(join(directory, ".tmp/old"), twoHoursAgo, twoHoursAgo);
  await fileBlobStore({ directory }).put("a", new Uint8Array(1));
  expect(filesIn(directory)).toEqual([".tmp", ".tmp/young", "a"]);
});

it("says which directory cannot be used, and works once it can", async () => {
  const parent = folder();
  const directory = join(parent, "file");
  writeFileSync(directory, "in the way");
  const store = fileBlobStore({ directory });
  await expect(store.put("a", new Uint8Array(1))).rejects.toMatchObject({
    code: "store_failed",
    message: expect.stringContaining(directory),
  });
  rmSync(directory);
  expect((await store.put("a", new Uint8Array(1))).size).toBe(1);
});

it("says which blob cannot be stored", async () => {
  const store = fileBlobStore({ directory: folder() });
  await store.put("a", new Uint8Array(1));
  await expect(store.put("a/b", new Uint8Array(1))).rejects.toMatchObject({
    code: "store_failed",
    message: expect.stringContaining("a/b"),
  });
});
