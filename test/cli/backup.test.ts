import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lorebaseHere, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();

it("backs up, verifies and restores, and moves a namespace in one file", async () => {
  const [directory, restored, other] = ["kb", "restored", "other"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const [backup, bundle] = [join(folder, "backup"), join(folder, "notes.lorebase")];
  writeFileSync(join(folder, "lamp.md"), "The lamp is lit before sunset.");
  const run = (...args: string[]) => lorebaseHere([...args, "--json"]);
  const search = async (place: string, namespace: string) => {
    const { code, stdout } = await run("search", "lamp", "-d", place, "-n", namespace, "--read-only");
    return [code, JSON.parse(stdout).hits?.[0]?.text];
  };
  const found = [0, "The lamp is lit before sunset."];
  await run("ingest", join(folder, "lamp.md"), "-d", directory, "-n", "notes", "--embedding", "MANAGED_LEXICAL");

  const saved = await run("backup", backup, "-d", directory, "--verify", "--rate", "100");
  expect([saved.code, JSON.parse(saved.stdout).manifest.counts.documents]).toEqual([0, 1]);
  expect((await lorebaseHere(["restore", backup, "-d", restored])).stdout).toContain(
    "restored 1 namespace, 1 document",
  );
  expect(await search(restored, "notes")).toEqual(found);
  expect(readdirSync(restored)).not.toContain("secret.key");
  const blobs = readdirSync(join(backup, "blobs"), { recursive: true, withFileTypes: true });
  const file = blobs.find((entry) => entry.isFile())!;
  rmSync(join(file.parentPath, file.name));
  const incomplete = await lorebaseHere(["restore", backup, "-d", join(folder, "incomplete")]);
  expect([incomplete.code, incomplete.stdout]).toEqual([1, expect.stringContaining(`in the backup: file `)]);
  expect(incomplete.stdout).toContain(file.name);
  const refused = await run("restore", backup, "-d", directory);
  expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([1, "conflict"]);

  expect((await run("export", bundle, "-d", directory, "-n", "notes", "--originals")).code).toBe(0);
  const imported = await run("import", bundle, "-d", other, "--slug", "copy");
  expect([imported.code, JSON.parse(imported.stdout)]).toEqual([
    0,
    expect.objectContaining({ documents: 1, files: 1, reembedded: 0 }),
  ]);
  expect(await search(other, "copy")).toEqual(found);
  const missing = await run("import", join(folder, "missing"), "-d", other);
  expect([missing.code, JSON.parse(missing.stdout).error.code]).toEqual([1, "not_found"]);
});
