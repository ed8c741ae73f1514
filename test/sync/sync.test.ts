import { chmodSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { queryDatabase, writeDatabase } from "../support/database.js";
import { failureOf, openKnowledgeBase } from "../support/knowledge-base.js";
import { openStorage } from "../support/open-storage.js";
import { rowsOf } from "../support/rows-of.js";
import { type FolderTest, folderTest } from "../support/synced-folder.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

type Folder = Parameters<FolderTest["handle"]["sync"]>[0];

const synced = async ({ handle, dir }: FolderTest, folder: Partial<Folder> = {}, options = {}) =>
  (await handle.sync({ dir, ...folder }, options)).done();

const found = async ({ handle }: FolderTest, query: string) =>
  (await handle.search(query, { mode: "keyword", topK: 20 })).map(({ text }) => text).sort();

/** What a sync has done, without what it left alone. */
const work = ({ added, changed, renamed, retried, deleted }: Awaited<ReturnType<typeof synced>>) =>
  Object.fromEntries(
    Object.entries({ added, changed, renamed, retried, deleted }).filter(([, list]) => list.length > 0),
  );

describe("sync", () => {
  it("adds new files, updates changed ones and deletes removed ones, under the same ids", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha lighthouse.");
    test.write("deep/er/b.txt", "Beta lighthouse.");
    test.write("c.md", "Gamma lighthouse.");
    const first = await synced(test);
    expect(work(first)).toEqual({ added: ["a.md", "c.md", "deep/er/b.txt"] });
    expect(first.jobs.map(({ status, counts }) => [status, counts.documents.completed])).toEqual([["COMPLETED", 3]]);
    const ids = await test.ids();
    expect(test.embedded()).toHaveLength(3);

    test.write("a.md", "Alpha harbour.");
    test.remove("c.md");
    test.write("d.md", "Delta lighthouse.");
    const second = await synced(test);
    expect(work(second)).toEqual({ added: ["d.md"], changed: ["a.md"], deleted: ["c.md"] });
    expect(second.unchanged).toEqual(["deep/er/b.txt"]);
    expect(second.failed).toEqual([]);
    expect(test.embedded().toSorted()).toEqual(["Alpha harbour.", "Delta lighthouse."]);
    expect(await found(test, "lighthouse harbour alpha beta gamma delta")).toEqual([
      "Alpha harbour.",
      "Beta lighthouse.",
      "Delta lighthouse.",
    ]);
    await test.kb.drain();
    const after = await test.ids();
    expect(Object.keys(after).sort()).toEqual(["a.md", "d.md", "deep/er/b.txt"]);
    expect([after["a.md"], after["deep/er/b.txt"]]).toEqual([ids["a.md"], ids["deep/er/b.txt"]]);
    const job = await test.handle.ingestJobs.get(first.jobs[0]!.id);
    expect(job).toMatchObject({ status: "COMPLETED", counts: { chunks: 3, pages: 3, embedded: 3 } });
  });

  it("leaves who may see a document as it was set for the document, unless the sync has a list", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha lighthouse.");
    await synced(test);
    const id = (await test.ids())["a.md"]!;
    await test.handle.documents.update(id, { allow: ["user:7"] });
    test.write("a.md", "Alpha harbour.");
    expect(work(await synced(test))).toEqual({ changed: ["a.md"] });
    const seen = async (principal: string) => (await test.handle.visibleTo([principal]).documents.list()).items.length;
    expect([await seen("user:7"), await seen("user:8")]).toEqual([1, 0]);
    await synced(test, {}, { allow: ["user:8"] });
    expect([await seen("user:7"), await seen("user:8")]).toEqual([0, 1]);
  });

  it("does nothing without changes, and reads only touched files", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    test.write("b.md", "Beta.");
    await synced(test);
    const documents = async () => (await test.handle.documents.list()).items;
    const before = await documents();
    test.embedded();
    for (const time of [1_700_000_000, 1_700_000_001]) {
      utimesSync(join(test.dir, "a.md"), time, time);
      const again = await synced(test);
      expect(work(again)).toEqual({});
      expect(again.unchanged).toEqual(["a.md", "b.md"]);
      expect(again.jobs).toEqual([]);
    }
    expect(test.embedded()).toEqual([]);
    expect(await documents()).toEqual(before);
  });

  it("notices a change that preserves size and times", async () => {
    const test = await folderTest();
    const path = join(test.dir, "a.md");
    const time = Date.now() / 1000;
    writeFileSync(path, "One two.");
    utimesSync(path, time, time);
    await synced(test);
    writeFileSync(path, "Two one.");
    utimesSync(path, time, time);
    expect(work(await synced(test))).toEqual({ changed: ["a.md"] });
  });

  it("keeps the document of a file that is moved or renamed", async () => {
    const test = await folderTest();
    test.write("old.md", "A text that moves.");
    test.write("twin.md", "A text that moves.");
    await synced(test);
    const ids = await test.ids();
    test.embedded();
    mkdirSync(join(test.dir, "sub"));
    renameSync(join(test.dir, "old.md"), join(test.dir, "sub/new.md"));
    expect(work(await synced(test))).toEqual({ renamed: [{ from: "old.md", to: "sub/new.md" }] });
    expect(await test.ids()).toEqual({ "sub/new.md": ids["old.md"], "twin.md": ids["twin.md"] });
    const [hit] = await test.handle.search("text", { mode: "keyword", filter: { path: "sub/new.md" } });
    expect(hit!.metadata).toMatchObject({ filename: "new.md", path: "sub/new.md", documentId: ids["old.md"] });
    expect(test.embedded()).toEqual([]);
    expect(work(await synced(test))).toEqual({});
  });

  it("ingests all files again with another config, and embeds only changed chunks", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    test.write("b.md", "Beta.");
    await synced(test, {}, { metadata: { year: 2025, kind: "note" } });
    test.embedded();
    expect(work(await synced(test, {}, { metadata: { kind: "note", year: 2025 } }))).toEqual({});
    expect(work(await synced(test, {}, { metadata: { year: 2026 } }))).toEqual({ changed: ["a.md", "b.md"] });
    expect(test.embedded()).toEqual([]);
    const hits = await test.handle.search("alpha beta", { mode: "keyword", filter: { year: 2026 } });
    expect(hits.map((hit) => hit.metadata!.path).sort()).toEqual(["a.md", "b.md"]);
  });

  it("ingests all files again whose chunking was changed by ingesting their job again", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha lighthouse.@@Beta lighthouse.");
    const options = { delimiter: "@@" };
    const first = await synced(test, {}, options);
    const both = ["Alpha lighthouse.", "Beta lighthouse."];
    expect(await found(test, "lighthouse")).toEqual(both);
    await test.handle.ingestJobs.reingest(first.jobs[0]!.id, { chunking: { chunkSize: 1000 } }).done();
    expect(await found(test, "lighthouse")).toHaveLength(1);
    expect(work(await synced(test, {}, options))).toEqual({ changed: ["a.md"] });
    expect(await found(test, "lighthouse")).toEqual(both);
    expect(work(await synced(test, {}, options))).toEqual({});
  });

  it("doesn't overwrite the caller's path metadata", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    await synced(test, {}, { metadata: { path: "mine" } });
    const [hit] = await test.handle.search("alpha", { mode: "keyword" });
    expect(hit!.metadata).toMatchObject({ path: "mine", filename: "a.md" });
  });

  it("keeps the earlier content of a document whose new content fails, and retries", async () => {
    const test = await folderTest();
    test.write("a.ipynb", JSON.stringify({ nbformat: 4, cells: [{ cell_type: "markdown", source: "Old text." }] }));
    test.write("b.md", "Beta.");
    await synced(test);
    const ids = await test.ids();
    test.write("a.ipynb", "{ broken");
    const failing = await synced(test);
    expect(work(failing)).toEqual({ changed: ["a.ipynb"] });
    expect(failing.failed).toMatchObject([{ path: "a.ipynb", documentId: ids["a.ipynb"] }]);
    expect(failing.jobs[0]).toMatchObject({ status: "FAILED", counts: { documents: { completed: 1, failed: 1 } } });
    expect(await found(test, "old")).toEqual(["Old text."]);
    expect(work(await synced(test))).toEqual({ retried: ["a.ipynb"] });
    test.write("a.ipynb", JSON.stringify({ nbformat: 4, cells: [{ cell_type: "markdown", source: "New text." }] }));
    const mended = await synced(test);
    expect(work(mended)).toEqual({ changed: ["a.ipynb"] });
    expect(mended.failed).toEqual([]);
    expect(mended.jobs[0]).toMatchObject({ status: "COMPLETED", counts: { documents: { completed: 2, failed: 0 } } });
    expect(await found(test, "old new text")).toEqual(["New text."]);
  });

  it("restores documents that were deleted separately, or with their job", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    test.write("b.md", "Beta.");
    const [job] = (await synced(test)).jobs;
    await test.handle.documents.delete((await test.ids())["a.md"]!);
    expect(work(await synced(test))).toEqual({ added: ["a.md"] });
    await test.handle.ingestJobs.delete(job!.id);
    expect(work(await synced(test))).toEqual({ added: ["b.md"] });
    expect(await found(test, "alpha beta")).toEqual(["Alpha.", "Beta."]);
  });

  it("ingests the files that a cancelled job did not reach", async () => {
    const test = await folderTest({ worker: false });
    test.write("a.md", "Alpha.");
    const run = await test.handle.sync({ dir: test.dir });
    await test.handle.ingestJobs.cancel(run.jobIds[0]!);
    const again = await test.handle.sync({ dir: test.dir });
    expect(again.changes.added).toEqual(["a.md"]);
    await test.kb.drain();
    expect((await again.done()).failed).toEqual([]);
    expect((await test.handle.ingestJobs.list()).items.map(({ id }) => id)).toEqual([...again.jobIds]);
  });

  it("leaves no job that would ingest the old path of a renamed file", async () => {
    const test = await folderTest({ worker: false });
    test.write("old.md", "Alpha.");
    const first = await test.handle.sync({ dir: test.dir });
    await test.kb.drain();
    test.write("new.md", "Beta.");
    const run = await test.handle.sync({ dir: test.dir });
    await test.handle.ingestJobs.cancel(run.jobIds[0]!);
    renameSync(join(test.dir, "old.md"), join(test.dir, "new.md"));
    const again = await test.handle.sync({ dir: test.dir });
    expect(again.changes.renamed).toEqual([{ from: "old.md", to: "new.md" }]);
    await test.kb.drain();
    expect((await test.handle.ingestJobs.list()).items.map(({ id }) => id)).toEqual([...first.jobIds]);
    expect(await found(test, "alpha beta")).toEqual(["Alpha."]);
  });

  it("keeps folders, tenants and sources apart", async () => {
    const test = await folderTest();
    const other = temporaryDirectory();
    test.write("a.md", "Alpha.");
    writeFileSync(join(other, "b.md"), "Beta.");
    await synced(test);
    await synced(test, { dir: other });
    await (await test.handle.tenant("acme").sync({ dir: test.dir })).done();
    test.remove("a.md");
    expect(work(await synced(test))).toEqual({ deleted: ["a.md"] });
    expect(await found(test, "alpha beta")).toEqual(["Beta."]);
    expect(await test.handle.tenant("acme").search("alpha", { mode: "keyword" })).toHaveLength(1);
    await synced(test, { dir: other, source: "named" });
    expect(work(await synced(test, { source: "named", allowEmpty: true }))).toEqual({ deleted: ["b.md"] });
    expect(await found(test, "beta")).toEqual(["Beta."]);
  });

  it("applies patterns, and deletes documents of excluded files with deleteExcluded", async () => {
    const test = await folderTest();
    for (const path of ["a.md", "docs/b.md", "docs/c.txt", "docs/drafts/d.md", "node_modules/e.md", ".git/f.md"])
      test.write(path, `Text of ${path}`);
    expect((await synced(test)).added).toEqual(["a.md", "docs/b.md", "docs/c.txt", "docs/drafts/d.md"]);
    const patterns = { include: "docs", exclude: ["**/drafts", "*.txt"] };
    const kept = await synced(test, patterns);
    expect(work(kept)).toEqual({});
    expect(kept.excluded).toEqual(["a.md", "docs/drafts/d.md"]);
    const narrow = await synced(test, { ...patterns, deleteExcluded: true });
    expect(narrow.deleted).toEqual(["a.md", "docs/drafts/d.md"]);
    expect(narrow.unchanged).toEqual(["docs/b.md", "docs/c.txt"]);
    for (const include of ["../x", "/etc/*", "a/../../b"])
      expect(await failureOf(() => synced(test, { include }))).toMatchObject({
        code: "invalid_input",
        issues: [{ field: "include[0]" }],
      });
  });

  it("reports skipped files with the reason", async () => {
    const test = await folderTest();
    test.write("kept.md", "Kept.");
    test.write("program.xyz", "none");
    test.write("empty.md", "");
    test.write("large.md", "");
    const { truncate } = await import("node:fs/promises");
    await truncate(join(test.dir, "large.md"), 201 * 1024 * 1024);
    symlinkSync(join(test.dir, "kept.md"), join(test.dir, "link.md"));
    const { skipped, added } = await synced(test);
    expect(added).toEqual(["kept.md"]);
    expect(skipped.map(({ path, reason }) => [path, reason])).toEqual([
      ["empty.md", "empty"],
      ["large.md", "too_large"],
      ["link.md", "not_a_file"],
      ["program.xyz", "no_parser"],
    ]);
  });

  it("deletes documents of files below a folder that a file has replaced", async () => {
    const test = await folderTest();
    for (const folder of ["a", "b", "c", "d.md"]) test.write(`${folder}/page.md`, `Page of ${folder}.`);
    test.write("kept.md", "Kept.");
    expect((await synced(test)).added).toHaveLength(5);
    for (const folder of ["a", "b", "c", "d.md"]) rmSync(join(test.dir, folder), { recursive: true });
    test.write("a", "no type");
    test.write("b", "");
    symlinkSync(join(test.dir, "kept.md"), join(test.dir, "c"));
    test.write("d.md", "");
    const { deleted, skipped } = await synced(test);
    expect(deleted).toEqual(["a/page.md", "b/page.md", "c/page.md", "d.md/page.md"]);
    expect(skipped.map(({ path }) => path)).toEqual(["a", "b", "c", "d.md"]);
  });

  it.skipIf(process.getuid?.() === 0)("takes nothing for gone that it can't read", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    test.write("sub/b.md", "Beta.");
    await synced(test);
    test.write("a.md", "Alpha two.");
    chmodSync(join(test.dir, "a.md"), 0o000);
    chmodSync(join(test.dir, "sub"), 0o000);
    const { skipped, ...rest } = await synced(test);
    chmodSync(join(test.dir, "sub"), 0o755);
    expect(work({ skipped, ...rest })).toEqual({});
    expect(skipped.map(({ path, reason }) => [path, reason])).toEqual([
      ["a.md", "unreadable"],
      ["sub", "unreadable"],
    ]);
    expect(await found(test, "alpha beta")).toEqual(["Alpha.", "Beta."]);
  });

  it("rejects a folder that does not exist, and deletes nothing", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    await synced(test);
    renameSync(test.dir, `${test.dir}-away`);
    expect(await failureOf(() => synced(test))).toMatchObject({ code: "not_found" });
    renameSync(`${test.dir}-away`, test.dir);
    expect(work(await synced(test))).toEqual({});
  });

  it("uses names as the file system spells them", async () => {
    const test = await folderTest();
    const names = ["e\u0301.md", "\u00e9.md", "a b [1] {2} (3) !x.md", "日本語.md", "😀.md", "-rf.md", "#1 100%.md"];
    for (const name of names) test.write(name, `Text of ${name}`);
    expect((await synced(test)).added).toEqual(names.toSorted());
    expect(work(await synced(test))).toEqual({});
    test.remove("e\u0301.md");
    expect(work(await synced(test))).toEqual({ deleted: ["e\u0301.md"] });
  });

  it("rejects a second concurrent sync of a folder", async () => {
    const test = await folderTest();
    for (let index = 0; index < 20; index++) test.write(`${index}.md`, `Text ${index}.`);
    const both = await Promise.allSettled([synced(test), synced(test)]);
    expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const { reason } = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    expect(reason).toMatchObject({ code: "conflict", retryable: true });
    expect(Object.keys(await test.ids())).toHaveLength(20);
  });

  it("ingests nothing twice when two processes sync a folder concurrently", async () => {
    const directory = temporaryDirectory();
    const test = await folderTest({ directory });
    const second = openKnowledgeBase({ directory, worker: false });
    onTestFinished(() => second.close());
    await second.start();
    const both = async () => {
      const syncs = [test.kb, second].map((kb) => kb.sync(test.handle.ref, { dir: test.dir }));
      for (const outcome of await Promise.allSettled(syncs)) {
        if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "conflict", retryable: true });
        else await outcome.value.done();
      }
    };
    for (let round = 0; round < 4; round++) {
      for (let index = 0; index < 10; index++) test.write(`${index}.md`, `Text ${index} of round ${round}.`);
      test.write(`of-round-${round}.md`, `Text of round ${round}.`);
      if (round > 0) test.remove(`of-round-${round - 1}.md`);
      await both();
      await synced(test);
      await test.kb.drain();
      const { items } = await test.handle.documents.list({ perPage: 100 });
      expect(items.map(({ config }) => config.metadata!.path).sort()).toEqual(
        [...Array.from({ length: 10 }, (_, index) => `${index}.md`), `of-round-${round}.md`].sort(),
      );
      expect(await found(test, `round`)).toEqual(
        [
          ...Array.from({ length: 10 }, (_, index) => `Text ${index} of round ${round}.`),
          `Text of round ${round}.`,
        ].sort(),
      );
    }
    expect(rowsOf(directory)).toMatchObject({ synced_files: 11, uploads: 11, blobs: 11 });
  });

  it("keeps documents of files that another process has updated since, changed or only touched", async () => {
    const directory = temporaryDirectory();
    const test = await folderTest({ directory });
    const database = await openStorage(directory);
    onTestFinished(() => database.close());
    const records = () =>
      queryDatabase<{ namespace_id: string; root: string; path: string }>(
        directory,
        "SELECT *, ingest_job_id AS jobId FROM synced_files",
      );
    test.write("a.md", "Alpha.");
    await synced(test);
    const rewrite = async () => {
      test.write("a.md", "Beta.");
      await synced(test);
    };
    const touch = async () => writeDatabase(directory, [{ sql: "UPDATE synced_files SET stamp = 'of a later look'" }]);
    for (const change of [rewrite, touch]) {
      const [seen] = records();
      await change();
      const { namespace_id: namespaceId, root } = seen!;
      const folder = { namespaceId, tenant: "", root };
      const removal = { folder, files: [seen], organizationId: "org_default", capacity: 1, now: Date.now() };
      const failure = await failureOf(() => database.sync.remove(removal as never));
      expect(failure).toMatchObject({ code: "conflict", retryable: true });
      expect(records()).toHaveLength(1);
    }
    expect(await found(test, "alpha beta")).toEqual(["Beta."]);
    expect(work(await synced(test))).toEqual({});
  });

  it("waits for jobs of an earlier sync before it changes their documents", async () => {
    const test = await folderTest({ worker: false });
    test.write("a.md", "Alpha.");
    test.write("b.md", "Beta.");
    await test.handle.sync({ dir: test.dir });
    const waiting = await test.handle.sync({ dir: test.dir });
    expect(waiting.changes.unchanged).toEqual(["a.md", "b.md"]);
    expect(waiting.jobIds).toHaveLength(1);
    test.write("a.md", "Alpha two.");
    const [third] = await Promise.all([test.handle.sync({ dir: test.dir }), test.kb.drain()]);
    expect(third.changes.changed).toEqual(["a.md"]);
    await test.kb.drain();
    expect(await found(test, "alpha beta")).toEqual(["Alpha two.", "Beta."]);
    expect(Object.keys(await test.ids())).toHaveLength(2);
  });

  it("yields the events of its jobs from its own start on", async () => {
    const test = await folderTest();
    test.write("a.md", "Alpha.");
    test.write("b.md", "Beta.");
    await synced(test);
    test.write("a.md", "Alpha two.");
    test.write("c.md", "Gamma.");
    const events: string[] = [];
    for await (const event of await test.handle.sync({ dir: test.dir }))
      if (event.type === "document.status") events.push(`${event.documentName} ${event.status}`);
    expect(events.filter((event) => event.startsWith("a.md"))).toEqual([
      "a.md QUEUED_FOR_RESYNC",
      "a.md PRE_PROCESSING",
      "a.md PROCESSING",
      "a.md COMPLETED",
    ]);
    expect(events).toContain("c.md COMPLETED");
    expect(events.some((event) => event.startsWith("b.md"))).toBe(false);
  });

  it("excludes the knowledge base's own directory", async () => {
    const dir = temporaryDirectory();
    const test = await folderTest({ directory: join(dir, "kb (own)") });
    writeFileSync(join(dir, "a.md"), "Alpha.");
    await synced(test, { dir });
    expect(await synced(test, { dir })).toMatchObject({ unchanged: ["a.md"], skipped: [] });
  });

  it("forgets the files of a job that is deleted before it starts", async () => {
    const directory = temporaryDirectory();
    const test = await folderTest({ directory, worker: false });
    test.write("a.md", "Alpha.");
    const run = await test.handle.sync({ dir: test.dir });
    expect(rowsOf(directory).synced_files).toBe(1);
    await test.handle.ingestJobs.delete(run.jobIds[0]!);
    await test.kb.drain();
    expect(rowsOf(directory).synced_files).toBeUndefined();
    expect(await run.done()).toMatchObject({ jobs: [], failed: [] });
  });

  it("leaves no rows of deleted files behind", async () => {
    const directory = temporaryDirectory();
    const test = await folderTest({ directory });
    const empty = async () => {
      await test.kb.drain();
      // Changes of usage are added up from time to time.
      const { embedding_cache: _, usage_changes: __, ...rows } = rowsOf(directory);
      return rows;
    };
    const before = await empty();
    test.write("a.md", "Alpha.");
    test.write("b.md", "Beta.");
    linkSync(join(test.dir, "a.md"), join(test.dir, "twin.md"));
    await synced(test);
    test.write("a.md", "Alpha two.");
    renameSync(join(test.dir, "b.md"), join(test.dir, "c.md"));
    await synced(test);
    const { blobs, uploads, synced_files } = await empty();
    expect([blobs, uploads, synced_files]).toEqual([3, 3, 3]);
    for (const path of ["a.md", "c.md", "twin.md"]) test.remove(path);
    await synced(test);
    expect(await empty()).toEqual(before);

    test.write("a.md", "Alpha.");
    await synced(test);
    await test.kb.namespaces.delete(test.handle.ref);
    await test.kb.drain();
    expect(rowsOf(directory).synced_files).toBeUndefined();
  });
});
