import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { failureOf } from "../support/knowledge-base.js";
import { folderTest } from "../support/synced-folder.js";

// Nothing here waits for time to pass: each step waits for the sync that it causes.
const HOUR_MS = 3_600_000;

describe("watch", () => {
  it("syncs immediately, and again after each change", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    const stop = new AbortController();
    const watching = test.handle.watch({ dir: test.dir }, { scanIntervalMs: HOUR_MS, signal: stop.signal });
    const next = async () => {
      const { value } = await watching.next();
      const { added, changed, renamed, deleted, failed } = await value.done();
      return { added, changed, renamed, deleted, failed };
    };
    const nothing = { added: [], changed: [], renamed: [], deleted: [], failed: [] };
    expect(await next()).toEqual({ ...nothing, added: ["a.md"] });

    let changes = next();
    writeFileSync(join(test.dir, "a.md"), "Alpha two.");
    expect(await changes).toEqual({ ...nothing, changed: ["a.md"] });

    // Made while nobody has asked: the next question finds it.
    mkdirSync(join(test.dir, "new/er"), { recursive: true });
    writeFileSync(join(test.dir, "new/er/b.md"), "Beta.");
    expect(await next()).toEqual({ ...nothing, added: ["new/er/b.md"] });

    changes = next();
    writeFileSync(join(test.dir, "new/er/c.md"), "Gamma.");
    expect(await changes).toEqual({ ...nothing, added: ["new/er/c.md"] });

    changes = next();
    renameSync(join(test.dir, "new/er"), join(test.dir, "moved"));
    expect((await changes).renamed).toEqual([
      { from: "new/er/b.md", to: "moved/b.md" },
      { from: "new/er/c.md", to: "moved/c.md" },
    ]);

    // A folder of the same name is another one.
    rmSync(join(test.dir, "moved"), { recursive: true });
    mkdirSync(join(test.dir, "moved"));
    expect((await next()).deleted).toEqual(["moved/b.md", "moved/c.md"]);
    changes = next();
    writeFileSync(join(test.dir, "moved/d.md"), "Delta.");
    expect(await changes).toEqual({ ...nothing, added: ["moved/d.md"] });

    const ended = watching.next();
    stop.abort();
    await expect(ended).rejects.toMatchObject({ name: "AbortError" });
  });

  it("notices changes below a folder that replaced another", async () => {
    const test = await folderTest();
    test.write("a/sub/deep/one.md", "One.");
    test.write("b/sub/deep/two.md", "Two.");
    const watching = test.handle.watch({ dir: test.dir }, { scanIntervalMs: HOUR_MS });
    await (await watching.next()).value.done();
    let changes = watching.next();
    renameSync(join(test.dir, "a"), `${test.dir}-a`);
    renameSync(join(test.dir, "b"), join(test.dir, "a"));
    onTestFinished(() => rmSync(`${test.dir}-a`, { recursive: true }));
    expect((await changes).value.changes).toMatchObject({
      renamed: [{ from: "b/sub/deep/two.md", to: "a/sub/deep/two.md" }],
      deleted: ["a/sub/deep/one.md"],
    });
    changes = watching.next();
    writeFileSync(join(test.dir, "a/sub/deep/three.md"), "Three.");
    expect((await changes).value.changes.added).toEqual(["a/sub/deep/three.md"]);
  });

  it("notices changes of folders above those that its patterns match", async () => {
    const test = await folderTest();
    test.write("docs/guides/a.md", "Alpha.");
    const watching = test.handle.watch({ dir: test.dir, include: "docs/guides" }, { scanIntervalMs: HOUR_MS });
    await (await watching.next()).value.done();
    let changes = watching.next();
    renameSync(join(test.dir, "docs"), join(test.dir, "old"));
    mkdirSync(join(test.dir, "docs/guides"), { recursive: true });
    writeFileSync(join(test.dir, "docs/guides/b.md"), "Beta.");
    expect((await changes).value.changes).toMatchObject({ added: ["docs/guides/b.md"], deleted: ["docs/guides/a.md"] });
    changes = watching.next();
    writeFileSync(join(test.dir, "docs/guides/c.md"), "Gamma.");
    expect((await changes).value.changes.added).toEqual(["docs/guides/c.md"]);
  });

  it("continues after a failed scan, and finds changes without an event", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    const errors: unknown[] = [];
    const told = new Promise<void>((resolve) => {
      test.kb.on("error", ({ error }) => {
        errors.push(error);
        resolve();
      });
    });
    const watching = test.handle.watch({ dir: test.dir }, { scanIntervalMs: 1000 });
    await (await watching.next()).value.done();
    const changes = watching.next();
    renameSync(test.dir, `${test.dir}-away`);
    await told;
    expect(errors[0]).toMatchObject({ code: "not_found" });
    writeFileSync(join(`${test.dir}-away`, "b.md"), "Beta.");
    renameSync(`${test.dir}-away`, test.dir);
    const { value } = await changes;
    expect(value.changes).toMatchObject({ added: ["b.md"], deleted: [], unchanged: ["a.md"] });
  });

  it("deletes the document of the last file", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    const watching = test.handle.watch({ dir: test.dir }, { scanIntervalMs: HOUR_MS });
    await (await watching.next()).value.done();
    const changes = watching.next();
    test.remove("a.md");
    expect((await changes).value.changes).toMatchObject({ deleted: ["a.md"] });
  });

  it("retries failed files when they change, not at every scan", async () => {
    const test = await folderTest();
    test.write("a.ipynb", "{ broken");
    const watching = test.handle.watch({ dir: test.dir }, { scanIntervalMs: HOUR_MS });
    expect((await (await watching.next()).value.done()).failed).toHaveLength(1);
    const changes = watching.next();
    writeFileSync(join(test.dir, "b.md"), "Beta.");
    const { value } = await changes;
    expect(value.changes).toMatchObject({ added: ["b.md"], retried: [], unchanged: ["a.ipynb"] });
    await value.done();
  });

  it("ends with an error of the first sync, and when its namespace is deleted", async () => {
    const test = await folderTest();
    const missing = test.handle.watch({ dir: join(test.dir, "missing") });
    expect(await failureOf(() => missing.next())).toMatchObject({ code: "not_found" });
    const soon = test.handle.watch({ dir: test.dir }, { scanIntervalMs: 10 });
    expect(await failureOf(() => soon.next())).toMatchObject({ code: "invalid_input" });
    const watching = test.handle.watch({ dir: test.dir }, { scanIntervalMs: 1000 });
    await watching.next();
    await test.kb.namespaces.delete(test.handle.ref);
    expect(await failureOf(() => watching.next())).toMatchObject({ code: "not_found" });
  });

  it("ends immediately when the knowledge base is closed", async () => {
    const test = await folderTest();
    const watching = test.handle.watch({ dir: test.dir }, { scanIntervalMs: HOUR_MS });
    await watching.next();
    const [failure] = await Promise.all([failureOf(() => watching.next()), test.kb.close()]);
    expect(failure).toMatchObject({ code: "closed" });
  });
});
