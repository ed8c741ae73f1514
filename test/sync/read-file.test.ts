import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fingerprintOf } from "#dist/sync/fingerprint.js";
import { copyFile, hashFile } from "#dist/sync/read-file.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const now = Date.now() + 60_000;
const stampNow = (path: string, at = now) => fingerprintOf(lstatSync(path, { bigint: true }), at);

function oneFile(text: string) {
  const absolutePath = join(temporaryDirectory(), "a.md");
  writeFileSync(absolutePath, text);
  return { absolutePath, path: "a.md", fingerprint: null };
}

describe("a file's fingerprint", () => {
  it("changes with the file even if size and modification time stay the same", () => {
    const { absolutePath } = oneFile("one");
    utimesSync(absolutePath, 1000, 1000);
    const before = stampNow(absolutePath);
    expect(before).not.toBeNull();
    expect(stampNow(absolutePath)).toBe(before);
    writeFileSync(absolutePath, "two");
    utimesSync(absolutePath, 1000, 1000);
    expect(stampNow(absolutePath)).not.toBe(before);
  });

  it("is null while the file may still change within a tick of its clock", () => {
    const { absolutePath } = oneFile("one");
    const changed = Number(lstatSync(absolutePath).ctimeMs);
    expect(stampNow(absolutePath, changed)).toBeNull();
    expect(stampNow(absolutePath, changed + 2000)).toBeNull();
    expect(stampNow(absolutePath, changed + 3000)).not.toBeNull();
    // By the clock of a server that is ahead.
    expect(stampNow(absolutePath, changed - 10_000)).toBeNull();
  });
});

describe("reading a file", () => {
  it("keeps the earlier fingerprint of a file that changes while it is read", async () => {
    const file = oneFile("x".repeat(300_000));
    utimesSync(file.absolutePath, 1000, 1000);
    let bytes = 0;
    const stored = await copyFile(file, async ({ body }) => {
      for await (const part of body as AsyncIterable<Uint8Array>) {
        if (bytes === 0) appendFileSync(file.absolutePath, "and more");
        bytes += part.length;
      }
      return { key: "kept" };
    });
    expect(stored).toMatchObject({ key: "kept" });
    expect("fingerprint" in stored && stored.fingerprint).not.toBe(stampNow(file.absolutePath));
  });

  it("doesn't follow a link that replaced the file, and skips a folder", async () => {
    const file = oneFile("text");
    renameSync(file.absolutePath, `${file.absolutePath}.away`);
    symlinkSync(`${file.absolutePath}.away`, file.absolutePath);
    expect(await hashFile(file, {})).toMatchObject({ path: "a.md", reason: "unreadable" });
    rmSync(file.absolutePath);
    mkdirSync(file.absolutePath);
    expect(await hashFile(file, {})).toMatchObject({ path: "a.md", reason: "not_a_file" });
  });

  it("passes on errors of the store", async () => {
    const failing = copyFile(oneFile("text"), () => Promise.reject(new Error("The disk is full.")));
    await expect(failing).rejects.toThrow("The disk is full.");
  });
});
