import fs, { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { failureOf } from "../support/knowledge-base.js";
import { type FolderTest, folderTest } from "../support/synced-folder.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

type Folder = Parameters<FolderTest["handle"]["sync"]>[0];

const synced = async ({ handle, dir }: FolderTest, folder: Partial<Folder> = {}) =>
  (await handle.sync({ dir, ...folder })).done();

const paths = async (test: FolderTest) => Object.keys(await test.ids()).sort();

/** Folders that can't be read from here on, with the error that the system gives. */
function breakFolders(errors: Readonly<Record<string, string>>): void {
  const readdir = fs.readdir as (folder: string, how: object, done: (error: Error | null) => void) => void;
  const broken = (folder: string, how: object, done: (error: Error | null) => void) => {
    const code = errors[resolve(folder)];
    if (code === undefined) readdir(folder, how, done);
    else done(Object.assign(new Error(`${code}: scandir '${folder}'`), { code }));
  };
  const spy = vi.spyOn(fs, "readdir").mockImplementation(broken as typeof fs.readdir);
  onTestFinished(() => spy.mockRestore());
}

describe("what is away and not gone", () => {
  it("deletes nothing when an empty folder replaces the synced one, unless allowEmpty is set", async () => {
    const test = await folderTest();
    onTestFinished(() => rmSync(`${test.dir}-disk`, { recursive: true, force: true }));
    test.write("a.md", "Alpha.");
    test.write("sub/b.md", "Beta.");
    await synced(test);
    renameSync(test.dir, `${test.dir}-disk`);
    mkdirSync(join(test.dir, "lost+found"), { recursive: true });
    const failure = await failureOf(() => synced(test));
    expect(failure).toMatchObject({ code: "conflict", retryable: false });
    expect(failure.message).toContain(
      `${JSON.stringify(test.dir)} has no files to ingest and is a different folder than before`,
    );
    expect(failure.message).toContain("allowEmpty");
    expect(await paths(test)).toEqual(["a.md", "sub/b.md"]);

    rmSync(test.dir, { recursive: true });
    renameSync(`${test.dir}-disk`, test.dir);
    expect(await synced(test)).toMatchObject({ unchanged: ["a.md", "sub/b.md"], deleted: [] });
    renameSync(test.dir, `${test.dir}-disk`);
    mkdirSync(test.dir);
    expect((await synced(test, { allowEmpty: true })).deleted).toEqual(["a.md", "sub/b.md"]);
    // Nothing is lost any more.
    expect(await synced(test)).toMatchObject({ deleted: [], unchanged: [] });
  });

  it("deletes the documents of deleted files, including the last one", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    test.write("b.md", "Beta.");
    await synced(test);
    test.remove("a.md");
    expect((await synced(test)).deleted).toEqual(["a.md"]);
    test.remove("b.md");
    test.write("c.xyz", "of no known type");
    expect((await synced(test)).deleted).toEqual(["b.md"]);
    await test.kb.drain();
    expect(await paths(test)).toEqual([]);
  });

  it.each(["EACCES", "EIO", "ESTALE", "ETIMEDOUT"])(
    "doesn't count files as deleted below a folder that fails with %s",
    async (code) => {
      const test = await folderTest();
      test.write("a.md", "Alpha.");
      test.write("sub/deep/b.md", "Beta.");
      test.write("subway/c.md", "Gamma.");
      await synced(test);
      test.remove("sub/deep/b.md");
      test.remove("subway/c.md");
      breakFolders({ [join(test.dir, "sub")]: code });
      for (const include of [["**"], ["sub/**", "subway"]]) {
        const { skipped, deleted } = await synced(test, { include, allowEmpty: true });
        expect(skipped).toMatchObject([{ path: "sub", reason: "unreadable" }]);
        expect(deleted).toEqual(include[0] === "**" ? ["subway/c.md"] : []);
      }
      await test.kb.drain();
      expect(await paths(test)).toEqual(["a.md", "sub/deep/b.md"]);
    },
  );

  it("fails if the folder itself can't be read", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    await synced(test);
    breakFolders({ [test.dir]: "EIO" });
    expect(await failureOf(() => synced(test, { allowEmpty: true }))).toMatchObject({ code: "not_found" });
    expect(await paths(test)).toEqual(["a.md"]);
  });
});

describe("several syncs of one folder", () => {
  it("don't change each other's files if their patterns differ", async () => {
    const test = await folderTest();
    for (const path of ["a.md", "b.txt", "notes/c.md", "notes/d.txt"]) test.write(path, `Text of ${path}`);
    await synced(test, { include: "**/*.md" });
    const texts = await synced(test, { include: "**/*.txt" });
    expect(texts).toMatchObject({ added: ["b.txt", "notes/d.txt"], deleted: [], excluded: ["a.md", "notes/c.md"] });
    const ids = await test.ids();
    test.embedded();

    test.remove("notes/c.md");
    test.remove("b.txt");
    expect(await synced(test, { include: "**/*.txt" })).toMatchObject({
      deleted: ["b.txt"],
      unchanged: ["notes/d.txt"],
      excluded: ["a.md", "notes/c.md"],
    });
    expect(await synced(test, { include: "**/*.md" })).toMatchObject({
      deleted: ["notes/c.md"],
      unchanged: ["a.md"],
      excluded: ["notes/d.txt"],
    });
    await test.kb.drain();
    expect(await test.ids()).toEqual({ "a.md": ids["a.md"], "notes/d.txt": ids["notes/d.txt"] });
    expect(test.embedded()).toEqual([]);
  });

  it("match deleted files against the patterns as if they existed", async () => {
    const test = await folderTest();
    const all = ["a.md", "docs/b.md", "docs/drafts/c.md", "docs/x [1].md", ".hidden/d.md", "e.txt"];
    for (const path of all) test.write(path, `Text of ${path}`);
    await synced(test, { include: ["**", ".hidden/**"] });
    for (const path of all) test.remove(path);
    test.write("docs/left.md", "Left.");
    const { deleted, excluded } = await synced(test, { include: ["docs", "*.txt"], exclude: "**/drafts" });
    expect(deleted).toEqual(["docs/b.md", "docs/x [1].md", "e.txt"]);
    expect(excluded).toEqual([".hidden/d.md", "a.md", "docs/drafts/c.md"]);
    const rest = await synced(test, { include: "docs", deleteExcluded: true });
    expect(rest).toMatchObject({ deleted: [".hidden/d.md", "a.md", "docs/drafts/c.md"], excluded: [] });
  });
});

describe("the knowledge base's own directory", () => {
  it("is excluded even if a link leads to it", async () => {
    const place = temporaryDirectory();
    mkdirSync(join(place, "real"));
    symlinkSync(join(place, "real"), join(place, "link"));
    const test = await folderTest({ directory: join(place, "link/kb") });
    writeFileSync(join(place, "real/a.md"), "Alpha.");
    mkdirSync(join(place, "real/kb"), { recursive: true });
    writeFileSync(join(place, "real/kb/blob.md"), "Not content.");
    expect((await synced(test, { dir: join(place, "real") })).added).toEqual(["a.md"]);
    expect(await synced(test, { dir: join(place, "link") })).toMatchObject({ added: [], unchanged: ["a.md"] });
  });
});
