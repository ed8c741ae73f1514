import { createHash, randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { KnowledgeBase } from "#dist/index.js";
import type { Migration } from "../../src/options.js";
import type { MigrationProgress } from "../../src/transfer/progress.js";
import { queryDatabase, writeDatabase } from "../support/database.js";
import { failureOf } from "../support/knowledge-base.js";
import { openTestDatabase, POSTGRES_MISSING, type TestDatabase } from "../support/postgres.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { answersOf, type Filled, fill, open, PROVIDER_KEY, RARE_ROWS, textOf } from "./filled.js";

const available = await openTestDatabase();
const masterKey = randomBytes(32).toString("hex");
/** A filled knowledge base, which tests only read or copy. */
const source = mkdtempSync(join(tmpdir(), "lorebase-migrate-"));
let filled: Filled;

beforeAll(async () => {
  if (!available) return;
  const kb = open({ directory: source });
  filled = await fill(kb, 24);
  await kb.close();
  writeDatabase(source, RARE_ROWS);
}, 120_000);
afterAll(async () => {
  await available?.drop();
  rmSync(source, { recursive: true, force: true });
});

async function emptyDatabase(): Promise<TestDatabase> {
  const database = (await openTestDatabase())!;
  onTestFinished(() => database.drop());
  return database;
}

function fingerprintOf(directory: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(directory, { recursive: true, withFileTypes: true }))
    if (name.isFile() && !name.name.endsWith("-shm")) hash.update(readFileSync(join(name.parentPath, name.name)));
  return hash.digest("hex");
}

async function withKnowledgeBase<Result>(
  options: Parameters<typeof open>[0],
  work: (kb: KnowledgeBase) => Promise<Result>,
): Promise<Result> {
  const kb = open(options);
  try {
    return await work(kb);
  } finally {
    await kb.close();
  }
}

describe.skipIf(!available)("a migration", () => {
  it("copies everything to PostgreSQL and back, with equal digests and hits", async () => {
    const { url } = await emptyDatabase();
    const [files, back] = [temporaryDirectory(), temporaryDirectory()];
    const before = fingerprintOf(source);
    const database = { database: url, directory: files, sharedDirectory: true, masterKey };
    const there = await KnowledgeBase.migrate({ from: { directory: source }, to: database });
    expect(fingerprintOf(source)).toBe(before);
    const vectorStores = [{ provider: "MANAGED_PGVECTOR", namespaces: 1 }];
    expect(there).toMatchObject({ files: { count: 1, damaged: [] }, secrets: 3, vectorStores, resumed: false });
    // The number depends on the order in which chunks were written, since samples are taken at equal distances.
    expect(there.searches).toBeGreaterThan(30);
    const rows = Object.fromEntries(there.tables.map(({ name, rows }) => [name, rows]));
    expect(Object.keys(rows).filter((name) => rows[name] === 0)).toEqual([]);
    const returned = await KnowledgeBase.migrate({ from: database, to: { directory: back } });
    expect(returned.tables).toEqual(there.tables);
    expect(returned.files).toEqual(there.files);

    // Numbers of removed rows are not given again.
    const counters = (directory: string) =>
      queryDatabase<{ name: string; seq: number }>(directory, "SELECT name, seq FROM sqlite_sequence ORDER BY name");
    expect(counters(back)).toEqual(counters(source));
    const [chunks] = queryDatabase<{ last: number }>(source, "SELECT max(seq) AS last FROM chunks");
    expect(counters(back).find(({ name }) => name === "chunks")!.seq).toBeGreaterThan(chunks!.last);

    const answers = await withKnowledgeBase({ directory: source }, answersOf);
    expect(await withKnowledgeBase(database, answersOf)).toEqual(answers);
    expect(await withKnowledgeBase({ directory: back }, answersOf)).toEqual(answers);
    for (const location of [database, { directory: back }]) {
      await withKnowledgeBase(location, async (kb) => {
        const log = kb.namespace("log");
        expect(await kb.verifyApiKey(filled.apiKey)).toMatchObject({ name: "reader" });
        expect((await kb.rotateKeys()).remaining).toBe(0);
        await kb.drain();
        expect((await log.ingestJobs.get(filled.queuedJobId)).status).toBe("COMPLETED");
        await log.ingest({ type: "TEXT", text: textOf(950, 30) });
        await kb.drain();
        expect((await log.search("mark950x7", { mode: "keyword" }))[0]?.text).toContain("mark950x7");
      });
    }
    const secrets = queryDatabase<{ sealed: string }>(back, "SELECT sealed FROM sealed_values");
    expect(JSON.stringify(secrets)).not.toContain(PROVIDER_KEY);
  }, 120_000);

  it("decrypts provider keys with the key of the source, and encrypts them with that of the target", async () => {
    const { url } = await emptyDatabase();
    const to = { database: url, directory: temporaryDirectory(), sharedDirectory: true, masterKey };
    await KnowledgeBase.migrate({ from: { directory: source }, to });
    await withKnowledgeBase(to, async (kb) => {
      const warnings: string[] = [];
      kb.on("warning", ({ message }) => warnings.push(message));
      await kb.start();
      expect(warnings).toEqual([]);
      expect(await kb.rotateKeys()).toMatchObject({ resealed: 0, remaining: 0 });
      expect(await kb.namespaces.get("keyed")).toMatchObject({ embeddingConfig: { apiKey: "••••wxyz" } });
    });
    const lost = temporaryDirectory();
    cpSync(source, lost, { recursive: true });
    rmSync(join(lost, "secret.key"));
    const { url: other } = await emptyDatabase();
    const failure = await failureOf(() =>
      KnowledgeBase.migrate({ from: { directory: lost }, to: { ...to, database: other } }),
    );
    expect([failure.code, failure.message]).toEqual([
      "not_ready",
      expect.stringContaining("master keys that are not available"),
    ]);
  });

  it("goes on after it was cancelled, and keeps others out until it is complete", async () => {
    const { url } = await emptyDatabase();
    const to = { database: url, directory: temporaryDirectory(), sharedDirectory: true, masterKey };
    for (const [phase, steps] of [
      ["records", 12],
      ["files", 1],
      ["index", 1],
      ["compare records", 3],
    ] as const) {
      const stop = new AbortController();
      let seen = 0;
      const cancelled = KnowledgeBase.migrate(
        { from: { directory: source }, to },
        {
          signal: stop.signal,
          onProgress: (progress) => {
            if (progress.phase === phase && ++seen === steps) stop.abort();
          },
        },
      );
      await expect(cancelled).rejects.toThrow("aborted");
      const failure = await failureOf(() => withKnowledgeBase(to, (kb) => kb.start()));
      expect([failure.code, failure.message]).toEqual(["not_ready", expect.stringContaining("migration into this")]);
    }
    const asSource = await failureOf(() =>
      KnowledgeBase.migrate({ from: to, to: { directory: temporaryDirectory() } }),
    );
    expect(asSource.code).toBe("not_ready");
    const summary = await KnowledgeBase.migrate({ from: { directory: source }, to });
    expect(summary.resumed).toBe(true);
    await withKnowledgeBase(to, (kb) => kb.start());
  });

  it("refuses a target with content, and one with another migration", async () => {
    const { url } = await emptyDatabase();
    const to = { database: url, directory: temporaryDirectory(), sharedDirectory: true, masterKey };
    await withKnowledgeBase(to, (kb) => kb.start());
    const filledTarget = await failureOf(() => KnowledgeBase.migrate({ from: { directory: source }, to }));
    expect([filledTarget.code, filledTarget.message]).toEqual([
      "conflict",
      expect.stringContaining("organizations has rows"),
    ]);
    await withKnowledgeBase(to, (kb) => kb.start());

    const { url: second } = await emptyDatabase();
    const stop = new AbortController();
    const target = { ...to, database: second };
    const begun = KnowledgeBase.migrate(
      { from: { directory: source }, to: target },
      { signal: stop.signal, onProgress: () => stop.abort() },
    );
    await expect(begun).rejects.toThrow("aborted");
    const other = temporaryDirectory();
    await withKnowledgeBase({ directory: other }, (kb) => kb.start());
    const failure = await failureOf(() => KnowledgeBase.migrate({ from: { directory: other }, to: target }));
    expect([failure.code, failure.message]).toEqual([
      "conflict",
      expect.stringContaining("unfinished migration of another"),
    ]);
  });

  it("refuses while a process runs the jobs of the source", async () => {
    const { url } = await emptyDatabase();
    const directory = temporaryDirectory();
    const kb = open({ directory, worker: {} });
    onTestFinished(() => kb.close());
    await kb.start();
    const migration: Migration = {
      from: { directory },
      to: { database: url, directory: temporaryDirectory(), sharedDirectory: true, masterKey },
    };
    const failure = await failureOf(() => KnowledgeBase.migrate(migration));
    expect([failure.code, failure.message]).toEqual(["conflict", expect.stringContaining(`source: ${process.pid} on`)]);
    await kb.close();
    expect((await KnowledgeBase.migrate(migration)).rows).toBe(1);
  });

  it("fails if a file, the search index of the target or the source differs in the end", async () => {
    const target = await emptyDatabase();
    const directory = temporaryDirectory();
    cpSync(source, directory, { recursive: true });
    const files = temporaryDirectory();
    const to = { database: target.url, directory: files, sharedDirectory: true, masterKey };
    const changing = async (change: () => void) => {
      let isChanged = false;
      const onProgress = ({ phase }: MigrationProgress) => {
        if (phase === "compare records" && !isChanged) change();
        isChanged ||= phase === "compare records";
      };
      const { code, message } = await failureOf(() =>
        KnowledgeBase.migrate({ from: { directory }, to }, { onProgress }),
      );
      return [code, message];
    };
    const file = join(files, "blobs", filled.uploadKey);
    const differs = expect.stringContaining(`${filled.uploadKey} differs in the target`);
    expect(await changing(() => writeFileSync(file, "Another text."))).toEqual(["conflict", differs]);
    cpSync(join(source, "blobs", filled.uploadKey), file);
    await target.query("UPDATE keyword_parts SET words = (SELECT words FROM keyword_parts LIMIT 1)");
    const finds = expect.stringMatching(/A search in ns_\w+ finds other passages in the target/);
    expect(await changing(() => {})).toEqual(["conflict", finds]);
    const late = () => writeDatabase(directory, [{ sql: "UPDATE feedback SET comment = 'late'" }]);
    const table = expect.stringMatching(/The table feedback differs: 1 rows/);
    expect(await changing(late)).toEqual(["conflict", table]);
  });

  it("refuses a source with another schema or with documents to analyze, and a directory without a knowledge base", async () => {
    const { url } = await emptyDatabase();
    const to = { database: url, directory: temporaryDirectory(), sharedDirectory: true, masterKey };
    const missing = await failureOf(() => KnowledgeBase.migrate({ from: { directory: temporaryDirectory() }, to }));
    expect(missing.code).toBe("not_found");
    const older = temporaryDirectory();
    cpSync(source, older, { recursive: true });
    writeDatabase(older, [{ sql: "DELETE FROM migrations WHERE version > 9" }]);
    const outdated = await failureOf(() => KnowledgeBase.migrate({ from: { directory: older }, to }));
    expect([outdated.code, outdated.message]).toEqual(["unsupported", expect.stringContaining("has schema version 9")]);
    const unfinished = temporaryDirectory();
    cpSync(source, unfinished, { recursive: true });
    writeDatabase(unfinished, [{ sql: "INSERT INTO documents_to_analyze SELECT min(seq) FROM documents" }]);
    const early = await failureOf(() => KnowledgeBase.migrate({ from: { directory: unfinished }, to }));
    expect([early.code, early.message]).toEqual(["not_ready", expect.stringContaining("are still being updated")]);
  });

  it("names files that are missing in the source", async () => {
    const { url } = await emptyDatabase();
    const directory = temporaryDirectory();
    cpSync(source, directory, { recursive: true });
    rmSync(join(directory, "blobs", filled.uploadKey));
    const to = { database: url, directory: temporaryDirectory(), sharedDirectory: true, masterKey };
    const { files } = await KnowledgeBase.migrate({ from: { directory }, to });
    expect(files).toEqual({ count: 0, bytes: 0, damaged: [filled.uploadKey] });
  });
});

it.skipIf(available)("needs a server for its tests", ({ skip }) => skip(POSTGRES_MISSING));

it("refuses options that don't belong to it", async () => {
  const migration = { from: { directory: ":memory:" }, to: { database: "postgres://localhost/none" } };
  const { code, issues } = await failureOf(() => KnowledgeBase.migrate(migration));
  expect(code).toBe("invalid_input");
  expect(issues.map(({ field }) => field)).toEqual(["from.directory", "to.masterKey", "to.blobs"]);
});
