import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { KnowledgeBase, type KnowledgeBaseOptions } from "lorebase";
import { describe, expect, it } from "vitest";
import { copiesOf } from "../support/copied-directory.js";
import { failureOf, ingestTexts, LEXICAL } from "../support/knowledge-base.js";
import { onlySqlite, onlySqliteHere } from "../support/only-sqlite.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const DIRECTORY = "readOnly is for directories";
const QUESTION = "when is the lamp lit";

/** Everything in a directory: the size, time of change and content of each file. */
function contentsOf(directory: string): unknown {
  const names = readdirSync(directory, { recursive: true }) as string[];
  return names.sort().map((name) => {
    const { size, mtimeMs, mode } = statSync(join(directory, name));
    const isFile = statSync(join(directory, name)).isFile();
    const hash =
      isFile &&
      createHash("sha256")
        .update(readFileSync(join(directory, name)))
        .digest("hex");
    return { name, size: isFile ? size : 0, mtimeMs, mode, hash };
  });
}

/** Fills a directory with a namespace `handbook`: some texts and an uploaded file. */
async function fill(directory: string, texts: readonly string[]) {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  await kb.namespaces.create({ name: "Handbook", slug: "handbook" });
  const handbook = kb.namespace("handbook");
  await ingestTexts(handbook, texts);
  const body = new TextEncoder().encode("# Keeper\n\nThe keeper trims the wick at noon.");
  const { key } = await handbook.uploads.put({ fileName: "keeper.md", body });
  const { id: ingestJobId } = await handbook.ingest({ type: "MANAGED_FILE", key, fileName: "keeper.md" }).done();
  const { items } = await handbook.documents.list({ ingestJobId });
  const hits = await handbook.search(QUESTION);
  await kb.close();
  return { documentId: items[0]!.id, hits };
}

const TEXTS = ["The lamp is lit before sunset.", "Parental leave is 16 weeks."];
const copyParent = copiesOf((parent) => fill(join(parent, "kb"), TEXTS));

/** A closed directory in one of the test's own. */
async function makeDirectory() {
  const { directory, made } = await copyParent();
  return { directory: join(directory, "kb"), ...made };
}

async function withKnowledgeBase<T>(options: KnowledgeBaseOptions, work: (kb: KnowledgeBase) => Promise<T>) {
  const kb = new KnowledgeBase(options);
  try {
    return await work(kb);
  } finally {
    await kb.close();
  }
}

describe("a directory opened with readOnly", () => {
  onlySqliteHere(DIRECTORY);

  it("is searched, listed and downloaded from, and not written to", async () => {
    const { directory, documentId, hits } = await makeDirectory();
    const before = contentsOf(directory);
    await withKnowledgeBase({ directory, readOnly: true }, async (kb) => {
      const handbook = kb.namespace("handbook");
      expect(await handbook.search(QUESTION)).toEqual(hits);
      expect((await handbook.ask(QUESTION)).text).toContain("before sunset");
      expect((await handbook.documents.list()).items).toHaveLength(3);
      const { body } = await handbook.documents.file(documentId);
      expect(await new Response(body).text()).toContain("trims the wick");
      expect((await handbook.documents.fileDownloadUrl(documentId)).url).toContain("/v1/");
      expect(await kb.verifyApiKey("lb_unknown")).toBeNull();
    });
    expect(contentsOf(directory)).toEqual(before);
  });

  it("is not written to by the API key that authenticates a request", async () => {
    const { directory } = await makeDirectory();
    const key = await withKnowledgeBase(
      { directory },
      async (kb) => (await kb.apiKeys.create({ name: "reader", scope: "admin" })).key,
    );
    const before = contentsOf(directory);
    const errors: unknown[] = [];
    await withKnowledgeBase({ directory, readOnly: true }, async (kb) => {
      kb.on("error", ({ error }) => errors.push(error));
      expect((await kb.verifyApiKey(key))?.name).toBe("reader");
    });
    expect(errors).toEqual([]);
    expect(contentsOf(directory)).toEqual(before);
  });

  const body = new Uint8Array([1]);
  const CHANGES: Record<string, (kb: KnowledgeBase, documentId: string) => unknown> = {
    ingest: (kb) => kb.ingest("handbook", { type: "TEXT", text: "More." }),
    "ingest of a file": (kb) => kb.ingest("handbook", { file: fileURLToPath(import.meta.url) }),
    "documents.delete": (kb, id) => kb.documents.delete("handbook", id),
    "namespaces.create": (kb) => kb.namespaces.create({ name: "Other", slug: "other" }),
    "namespaces.update": (kb) => kb.namespaces.update("handbook", { name: "Other" }),
    "namespaces.delete": (kb) => kb.namespaces.delete("handbook"),
    "uploads.put": (kb) => kb.uploads.put("handbook", { fileName: "a.txt", body }),
    "uploads.create": (kb) =>
      kb.uploads.create("handbook", { fileName: "a.txt", contentType: "text/plain", fileSize: 1 }),
    "hosting.enable": (kb) => kb.hosting.enable("handbook"),
    "feedback.add": (kb) => kb.feedback.add("handbook", { question: "a", answer: "b", rating: "up", chunkIds: [] }),
    "clicks.add": (kb) => kb.clicks.add("handbook", { question: "a", chunkId: "doc_1#0" }),
    "goldenQuestions.add": (kb) => kb.goldenQuestions.add("handbook", { question: "a", answers: [{ contains: "b" }] }),
    "apiKeys.create": (kb) => kb.apiKeys.create({ name: "key", scope: "read" }),
    "organizations.create": (kb) => kb.organizations.create({ id: "org_other", name: "Other" }),
    drain: (kb) => kb.drain(),
  };
  it("refuses every change with an error that names the option", async () => {
    const { directory, documentId } = await makeDirectory();
    writeFileSync(join(directory, "..", "a.md"), "A file.");
    const before = contentsOf(directory);
    await withKnowledgeBase({ directory, readOnly: true }, async (kb) => {
      for (const [name, change] of Object.entries(CHANGES)) {
        const { code, message } = await failureOf(() => change(kb, documentId));
        expect([name, code, message]).toEqual([name, "forbidden", expect.stringContaining("readOnly: true")]);
      }
      const synced = await failureOf(() => kb.sync("handbook", { dir: join(directory, ".."), include: "*.md" }).done());
      expect(synced.code).toBe("forbidden");
      // What exists is returned, since nothing has to be created.
      expect((await kb.namespaces.ensure({ name: "Handbook", slug: "handbook" })).slug).toBe("handbook");
    });
    expect(contentsOf(directory)).toEqual(before);
  });

  it("follows the changes of a process that has it open for writing", async () => {
    const { directory } = await makeDirectory();
    await withKnowledgeBase({ directory }, async (writer) => {
      await writer.start();
      await withKnowledgeBase({ directory, readOnly: true }, async (reader) => {
        expect(await reader.search("handbook", "harbour pilots", { mode: "keyword" })).toEqual([]);
        await ingestTexts(writer.namespace("handbook"), ["The harbour pilots meet at six."]);
        const [hit] = await reader.search("handbook", "harbour pilots", { mode: "keyword" });
        expect(hit?.text).toContain("meet at six");
      });
      await ingestTexts(writer.namespace("handbook"), ["The writer goes on."]);
    });
  });

  it("has the last commits of a process that was killed", async () => {
    const { directory } = await makeDirectory();
    const [killed, withoutIndex] = [join(temporaryDirectory(), "killed"), join(temporaryDirectory(), "other")];
    await withKnowledgeBase({ directory }, async (kb) => {
      await ingestTexts(kb.namespace("handbook"), ["The harbour pilots meet at six."]);
      // Another process copies: closing a file of the database would release this process's locks.
      for (const copy of [killed, withoutIndex]) execFileSync("cp", ["-r", directory, copy]);
    });
    rmSync(join(withoutIndex, "lorebase.db-shm"));
    for (const copy of [killed, withoutIndex]) {
      expect(existsSync(join(copy, "lorebase.db-wal"))).toBe(true);
      const before = contentsOf(withoutIndex);
      await withKnowledgeBase({ directory: copy, readOnly: true }, async (kb) => {
        expect(await kb.search("handbook", "harbour pilots", { mode: "keyword" })).toHaveLength(1);
      });
      expect(contentsOf(withoutIndex)).toEqual(before);
    }
  });

  it("computes vector records whose files are missing", async () => {
    const texts = Array.from({ length: 1200 }, (_, index) => `Lamp ${index} is lit by keeper ${index % 17}.`);
    const directory = temporaryDirectory();
    await fill(directory, texts);
    const search = (kb: KnowledgeBase) => kb.search("handbook", "lamp lit by keeper 7", { mode: "semantic", topK: 20 });
    const expected = await withKnowledgeBase({ directory, readOnly: true }, search);
    rmSync(join(directory, "scan"), { recursive: true, force: true });
    expect(await withKnowledgeBase({ directory, readOnly: true }, search)).toEqual(expected);
    expect(existsSync(join(directory, "scan"))).toBe(false);
  });

  it("is refused if its schema is older, newer or missing, and if there is no directory", async () => {
    const { directory } = await makeDirectory();
    const file = join(directory, "lorebase.db");
    const open = () => withKnowledgeBase({ directory, readOnly: true }, (kb) => kb.start());
    const change = (sql: string) => {
      const db = new Database(file);
      db.exec(sql);
      db.close();
    };
    const [version] = new Database(file, { readonly: true }).pragma("user_version") as [{ user_version: number }];
    change(
      `CREATE TABLE last AS SELECT * FROM migrations ORDER BY version DESC LIMIT 1;
       DELETE FROM migrations WHERE version = ${version.user_version}; PRAGMA user_version = ${version.user_version - 1}`,
    );
    expect(await failureOf(open)).toMatchObject({
      code: "unsupported",
      message: expect.stringContaining("open it once with this version"),
    });
    change(`INSERT INTO migrations SELECT * FROM last; DROP TABLE last; INSERT INTO migrations VALUES (999, 'later', 'x');
       PRAGMA user_version = ${version.user_version}`);
    expect(await failureOf(open)).toMatchObject({ code: "unsupported", message: expect.stringContaining("upgrade") });
    const missing = join(temporaryDirectory(), "missing");
    const failure = await failureOf(() =>
      withKnowledgeBase({ directory: missing, readOnly: true }, (kb) => kb.start()),
    );
    expect(failure).toMatchObject({ code: "not_found", message: expect.stringContaining(missing) });
    expect(existsSync(missing)).toBe(false);
  });
});

/** Runs `lorebase search --read-only` under another command. */
function searchUnder(command: readonly string[], directory: string) {
  const search = [
    process.execPath,
    main,
    "search",
    "--read-only",
    "--json",
    "-n",
    "handbook",
    "-d",
    directory,
    QUESTION,
  ];
  const [program, ...args] = [...command, ...search];
  return spawnSync(program!, args, { encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
}

const isRoot = process.getuid?.() === 0;
const canMount =
  isRoot && spawnSync("unshare", ["-m", "sh", "-c", "mount -t tmpfs none /mnt"], { encoding: "utf8" }).status === 0;

describe("lorebase search --read-only", () => {
  onlySqliteHere(DIRECTORY);

  it.runIf(isRoot)("runs as a user who may not write", async () => {
    const { directory, hits } = await makeDirectory();
    // The user may read everything except for the key.
    execFileSync("chmod", ["-R", "a+rX", directory, join(directory, "..")]);
    chmodSync(join(directory, "secret.key"), 0o600);
    const before = contentsOf(directory);
    const { status, stdout, stderr } = searchUnder(
      ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
      directory,
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout).hits.map(({ id }: { id: string }) => id)).toEqual(hits.map(({ id }) => id));
    expect(contentsOf(directory)).toEqual(before);
  });

  it.runIf(canMount)("runs on a read-only file system, also after a kill", async () => {
    const { directory, hits } = await makeDirectory();
    const killed = join(temporaryDirectory(), "killed");
    await withKnowledgeBase({ directory }, async (kb) => {
      await kb.start();
      execFileSync("cp", ["-r", directory, killed]);
    });
    for (const place of [directory, killed]) {
      const mount = `mount --bind ${place} ${place} && mount -o remount,bind,ro ${place} && ! touch ${place}/x && exec "$@"`;
      const { status, stdout } = searchUnder(["unshare", "-m", "sh", "-c", mount, "sh"], place);
      expect(status).toBe(0);
      expect(JSON.parse(stdout).hits.map(({ id }: { id: string }) => id)).toEqual(hits.map(({ id }) => id));
    }
  });
});

onlySqlite(DIRECTORY)("serves over HTTP without writing", async () => {
  const { serve } = await import("../cli/server.js");
  const { directory } = await makeDirectory();
  const key = await withKnowledgeBase(
    { directory },
    async (kb) => (await kb.apiKeys.create({ name: "reader", scope: "admin" })).key,
  );
  const before = contentsOf(directory);
  const server = await serve(directory, { args: ["--read-only"], key });
  const found = await server.call("GET", "/v1/namespace");
  expect(found.body.data).toHaveLength(1);
  const refused = await server.call("DELETE", `/v1/namespace/${found.body.data[0].id}`);
  expect(refused.status).toBe(403);
  server.kill("SIGTERM");
  expect(await server.ended).toBe(0);
  expect(contentsOf(directory)).toEqual(before);
});

it("readOnly is for neither a temporary directory nor a database server", async () => {
  const memory = await failureOf(() => new KnowledgeBase({ directory: ":memory:", readOnly: true }));
  expect(memory.issues.map(({ field }) => field)).toEqual(["readOnly"]);
  const database = { database: "postgres://localhost/kb", masterKey: "0".repeat(64), sharedDirectory: true };
  const server = await failureOf(() => new KnowledgeBase({ ...database, readOnly: true }));
  expect(server.issues.map(({ field }) => field)).toEqual(["readOnly"]);
});
