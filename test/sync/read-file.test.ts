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
import { stampOf } from "#dist/sync/fingerprint.js";
import { hashFile, storeFile } from "#dist/sync/read-file.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const now = Date.now() + 60_000;
const stampNow = (path: string, at = now) => stampOf(lstatSync(path, { bigint: true }), at);

function oneFile(text: string) {
  const absolute = join(temporaryDirectory(), "a.md");
  writeFileSync(absolute, text);
  return { absolute, path: "a.md", stamp: null };
}

describe("a file's stamp", () => {
  it("changes with the file, whatever its size and time of modification say", () => {
    const { absolute } = oneFile("one");
    utimesSync(absolute, 1000, 1000);
    const before = stampNow(absolute);
    expect(before).not.toBeNull();
    expect(stampNow(absolute)).toBe(before);
    writeFileSync(absolute, "two");
    utimesSync(absolute, 1000, 1000);
    expect(stampNow(absolute)).not.toBe(before);
  });

  it("is none while the file may still change within a tick of its clock", () => {
    const { absolute } = oneFile("one");
    const changed = Number(lstatSync(absolute).ctimeMs);
    expect(stampNow(absolute, changed)).toBeNull();
    expect(stampNow(absolute, changed + 2000)).toBeNull();
    expect(stampNow(absolute, changed + 3000)).not.toBeNull();
    // By the clock of a server that is ahead.
    expect(stampNow(absolute, changed - 10_000)).toBeNull();
  });
});

describe("reading a file", () => {
  it("gives a file that changes meanwhile the stamp that it had before", async () => {
    const file = oneFile("x".repeat(300_000));
    utimesSync(file.absolute, 1000, 1000);
    let bytes = 0;
    const stored = await storeFile(file, async ({ body }) => {
      for await (const part of body as AsyncIterable<Uint8Array>) {
        if (bytes === 0) appendFileSync(file.absolute, "and more");
        bytes += part.length;
      }
      return { key: "kept" };
    });
    expect(stored).toMatchObject({ key: "kept" });
    expect("stamp" in stored && stored.stamp).not.toBe(stampNow(file.absolute));
  });

  it("follows no link that has taken the file's place, and takes no folder for a file", async () => {
    const file = oneFile("text");
    renameSync(file.absolute, `${file.absolute}.away`);
    symlinkSync(`${file.absolute}.away`, file.absolute);
    expect(await hashFile(file, {})).toMatchObject({ path: "a.md", reason: "unreadable" });
    rmSync(file.absolute);
    mkdirSync(file.absolute);
    expect(await hashFile(file, {})).toMatchObject({ path: "a.md", reason: "not_a_file" });
  });

  it("passes on what the store refuses", async () => {
    const failing = storeFile(oneFile("text"), () => Promise.reject(new Error("The disk is full.")));
    await expect(failing).rejects.toThrow("The disk is full.");
  });
});
