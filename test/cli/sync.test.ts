import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lorebase, lorebaseHere, temporaryFolder } from "./lorebase.js";

const folder = temporaryFolder();
const lexical = ["--embedding", "MANAGED_LEXICAL"];

function newFolder(name: string): string {
  const dir = join(folder, name);
  mkdirSync(dir);
  writeFileSync(join(dir, "tide.md"), "The tide turns at noon.");
  writeFileSync(join(dir, "lamp.md"), "The lamp is lit before sunset.");
  return dir;
}

describe("sync", () => {
  it("keeps a namespace in sync with a folder", async () => {
    const dir = newFolder("plain");
    writeFileSync(join(dir, "program.xyz"), "none");
    const kb = ["-d", join(folder, "kb"), ...lexical];
    const first = await lorebaseHere(["sync", dir, ...kb]);
    expect(first.stdout).toMatch(
      /^skipped {2}program\.xyz: is of a type that no parser supports\n2 added, 0 unchanged in [\d.]+ s\nnamespace default \(MANAGED_LEXICAL/,
    );
    expect(first.stderr).toMatch(/reading 2\/2 {2}files\n(?:.*\n)*ingesting 2\/2 {2}files\n/);
    expect(first.code).toBe(0);
    writeFileSync(join(dir, "tide.md"), "The tide turns at one.");
    rmSync(join(dir, "lamp.md"));
    const second = await lorebaseHere(["sync", dir, ...kb, "--json"]);
    expect(JSON.parse(second.stdout)).toMatchObject({
      added: [],
      changed: ["tide.md"],
      deleted: ["lamp.md"],
      unchanged: [],
      skipped: [{ path: "program.xyz", reason: "no_parser" }],
      failed: [],
    });
    const other = await lorebaseHere(["sync", dir, ...kb, "--include", "*.txt"]);
    expect(other.stdout).toMatch(/^0 unchanged, 1 excluded in/);
    const search = await lorebaseHere(["search", "tide lamp", "-d", join(folder, "kb"), "-m", "keyword", "--json"]);
    expect(JSON.parse(search.stdout).hits.map(({ text }: { text: string }) => text)).toEqual([
      "The tide turns at one.",
    ]);
  });

  it("accepts several patterns, and exits with 1 if a file fails", async () => {
    const dir = newFolder("patterns");
    mkdirSync(join(dir, "notes"));
    writeFileSync(join(dir, "notes/a.txt"), "A note.");
    writeFileSync(join(dir, "bad.ipynb"), "{ broken");
    const patterns = ["--include", "tide.md", "--include", "notes", "--include=*.ipynb", "--exclude", "*.txt"];
    const { stdout, code } = await lorebaseHere([
      "sync",
      dir,
      "-d",
      join(folder, "kb2"),
      ...lexical,
      ...patterns,
      "--json",
    ]);
    const report = JSON.parse(stdout);
    expect(report.added).toEqual(["bad.ipynb", "notes/a.txt", "tide.md"]);
    expect(report.failed).toMatchObject([{ path: "bad.ipynb" }]);
    expect(code).toBe(1);
  });

  it("runs until Ctrl-C with --watch", async () => {
    const dir = newFolder("watched");
    const args = ["sync", dir, "-d", join(folder, "kb3"), ...lexical, "--watch", "--json"];
    let seen = 0;
    const { stdout, code } = await lorebase(args, {
      onStdout(text, kill) {
        const lines = text.split("\n").length - 1;
        if (lines === 1 && seen === 0) writeFileSync(join(dir, "new.md"), "A new note.");
        if (lines === 2 && seen < 2) kill("SIGINT");
        seen = lines;
      },
    });
    const reports = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(reports.map(({ added, unchanged }) => [added, unchanged])).toEqual([
      [["lamp.md", "tide.md"], []],
      [["new.md"], ["lamp.md", "tide.md"]],
    ]);
    expect(code).toBe(0);
  });

  it("empties a namespace only with --allow-empty", async () => {
    const dir = newFolder("emptied");
    const kb = ["-d", join(folder, "kb5"), ...lexical];
    await lorebaseHere(["sync", dir, ...kb]);
    renameSync(dir, `${dir}-disk`);
    mkdirSync(dir);
    const refused = await lorebaseHere(["sync", dir, ...kb]);
    expect(refused.stderr).toMatch(
      /^lorebase: dir ".*emptied" has no files to ingest .* the documents of 2 files.* \(--allow-empty\)/m,
    );
    expect(refused.code).toBe(1);
    expect((await lorebaseHere(["sync", dir, ...kb, "--allow-empty"])).stdout).toMatch(/^2 deleted, 0 unchanged in/);
    writeFileSync(join(dir, "tide.md"), "The tide turns at noon.");
    await lorebaseHere(["sync", dir, ...kb]);
    const without = ["--include", "*.txt", "--delete-excluded", "--allow-empty"];
    expect((await lorebaseHere(["sync", dir, ...kb, ...without])).stdout).toMatch(/^1 deleted, 0 unchanged in/);
  });

  it("reports a missing folder", async () => {
    const kb = ["-d", join(folder, "kb4"), ...lexical];
    const { stderr, code } = await lorebaseHere(["sync", join(folder, "nowhere"), ...kb]);
    expect(stderr).toMatch(/^lorebase: dir ".*nowhere" was not found/m);
    expect(code).toBe(1);
    expect((await lorebaseHere(["sync"])).code).toBe(2);
  });
});
