import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KnowledgeBase } from "lorebase";
import { beforeAll, describe, expect, it } from "vitest";
import { queryDatabase, writeDatabase } from "../support/database.js";
import { lorebaseHere, temporaryFolder } from "./lorebase.js";
import { serve } from "./server.js";

const folder = temporaryFolder();
const directory = join(folder, "kb");
const LEXICAL = { provider: "MANAGED_LEXICAL" };

const command = (...args: string[]) => lorebaseHere([...args, "-d", directory]);
const json = async (...args: string[]) => JSON.parse((await lorebaseHere([...args, "-d", directory, "--json"])).stdout);

/** Ids of the records that the tests use. */
let made: { document: string; failed: string; tenants: string; job: string };

beforeAll(async () => {
  await writeFile(join(folder, "broken.pdf"), "%PDF-1.4 and nothing else");
  const kb = new KnowledgeBase({ directory });
  for (const slug of ["notes", "other"]) await kb.namespaces.create({ name: slug, slug, embeddingConfig: LEXICAL });
  const notes = kb.namespace("notes");
  const text = await notes.ingest({ type: "TEXT", text: "The lamp is lit.", fileName: "lamp.md" }, { name: "lamps" });
  await text.done();
  await (await notes.ingest({ file: join(folder, "broken.pdf") })).done();
  await (await notes.tenant("acme").ingest({ type: "TEXT", text: "Theirs alone.", fileName: "theirs.md" })).done();
  const { items } = await notes.documents.list({ order: "asc" });
  const [document, failed, tenants] = items.map(({ id }) => id) as [string, string, string];
  const chunkIds = [`${document}#0`];
  await notes.feedback.add({ question: 'Is it "lit"?', answer: "The lamp is lit.", rating: "up", chunkIds });
  await notes.feedback.add({
    question: "Is it lit?",
    answer: "The lamp.",
    rating: "down",
    comment: "Not yet.",
    chunkIds,
  });
  made = { document, failed, tenants, job: text.id };
  await kb.close();
});

describe("namespaces", () => {
  it("are listed with embedder and store, also without the word list", async () => {
    const { namespaces } = await json("namespaces", "list");
    expect(namespaces.map(({ slug }: { slug: string }) => slug)).toEqual(["notes", "other"]);
    const { code, stdout } = await command("namespaces");
    expect(stdout).toMatch(
      /^notes {2}ns_\w+ {2}created [\d-]{10} {2}MANAGED_LEXICAL, hash-1024 {2}MANAGED_SQLITE_VEC {2}notes\n/,
    );
    expect(code).toBe(0);
  });

  it("are embedded by another model, which is used, given up and discarded", async () => {
    const reembed = ["namespaces", "reembed", "notes", "--embedding", "MANAGED_STATIC"];
    expect(await json(...reembed, "--estimate")).toMatchObject({ chunks: 2, dimensions: 1536 });
    expect((await command(...reembed)).stdout).toMatch(
      /^2 of 2 passages embedded by MANAGED_STATIC.* in MANAGED_SQLITE_VEC.*the old vectors until/,
    );
    const noStore = await command("namespaces", "reembed", "notes", "--vector-store", "missing.json");
    expect(noStore).toMatchObject({ code: 2, stderr: expect.stringContaining("missing.json can't be read as JSON") });
    // Without --embedding, one that an error has stopped goes on.
    writeDatabase(directory, [
      { sql: "DELETE FROM odd_vectors WHERE chunk_seq = (SELECT max(seq) FROM chunks)" },
      { sql: "UPDATE reembeddings SET error = 'The key was revoked.'" },
    ]);
    expect(await command("namespaces", "reembed", "notes")).toMatchObject({
      code: 0,
      stdout: expect.not.stringContaining("revoked"),
    });
    expect(queryDatabase(directory, "SELECT count(*) AS vectors FROM odd_vectors")).toEqual([{ vectors: 2 }]);
    const sampled = (query: string) => ({
      sql: `INSERT INTO sampled_queries (namespace_id, query, draw, expires_at)
            SELECT id, ?, 1, ${Date.now() + 60_000} FROM namespaces WHERE slug = 'notes'`,
      parameters: [query],
    });
    writeDatabase(directory, [sampled("Is it\u001b[2J lit?"), sampled("zzzz")]);
    const compared = await command("namespaces", "evaluate", "notes", "--mode", "semantic", "--queries", "2");
    expect(compared.stdout).toMatch(/^current: MANAGED_LEXICAL.*\nother: {3}MANAGED_STATIC/);
    expect(compared.stdout).toMatch(/\nsampled queries: 2\nsetting .*rank-biased overlap.*\nsemantic +[01]\.\d{4} \[/);
    expect(compared.stdout).not.toContain("\u001b");
    expect((await json("namespaces", "evaluate", "notes", "--queries", "1")).sample.queries).toBe(1);
    const evaluateBy = (queries: string) => command("namespaces", "evaluate", "notes", "--queries", queries);
    expect((await evaluateBy("1001")).stderr).toMatch(/from 0 to 1000/);
    expect((await evaluateBy("0")).stderr).toMatch(/nothing to compare its models by/);
    expect((await json("namespaces", "cut-over", "notes")).reembedding).toMatchObject({ state: "cut_over" });
    // The names that processes of earlier versions read.
    const stored = queryDatabase(directory, "SELECT state, wants_switch FROM reembeddings");
    expect(stored).toEqual([{ state: "switched", wants_switch: 0 }]);
    expect((await json("namespaces", "rollback", "notes")).reembedding).toMatchObject({ state: "ready" });
    writeDatabase(directory, [
      { sql: "DELETE FROM odd_vectors WHERE chunk_seq = (SELECT max(seq) FROM chunks)" },
      { sql: `UPDATE reembeddings SET embedding_config = '{"provider":"OTHER"}'` },
    ]);
    // Nothing in this process can write the missing vector.
    expect(await command("namespaces", "cut-over", "notes")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("last error: The namespace's embeddingConfig.provider is OTHER"),
    });
    expect((await command("namespaces", "discard", "notes")).code).toBe(2);
    expect(await command("namespaces", "discard", "notes", "--yes", "--abandon-store")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("are in the knowledge base"),
    });
    expect(await json("namespaces", "discard", "notes", "--yes")).toEqual({ reembedding: null });
    expect((await command("namespaces", "reembed", "notes", "--cut-over")).stderr).toMatch(/need --embedding/);
  });

  it("are deleted only with --yes", async () => {
    const refused = await command("namespaces", "delete", "other");
    expect(refused.stderr).toMatch(/removes all documents of other \(ns_\w+\): confirm it with --yes/);
    expect(refused.code).toBe(2);
    expect((await json("namespaces")).namespaces).toHaveLength(2);
    const deleted = await command("namespaces", "delete", "other", "--yes");
    expect(deleted.stdout).toMatch(/^deleted other \(ns_/);
    // One that is deleted already has no slug any more.
    const id = /ns_\w+/.exec(deleted.stdout)![0];
    const again = await command("namespaces", "delete", id, "--abandon-store");
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining(`documents of ${id}: confirm it with --yes`),
    ]);
    expect((await json("namespaces")).namespaces).toHaveLength(1);
  });
});

describe("feedback", () => {
  it("is listed, newest first", async () => {
    const { feedback } = await json("feedback", "list", "-n", "notes");
    expect(feedback.map(({ rating }: { rating: string }) => rating)).toEqual(["down", "up"]);
    const { stdout } = await command("feedback", "-n", "notes");
    expect(stdout).toMatch(
      /^fb_\w+ {2}down {2}\S+Z {2}Is it lit\?: Not yet\.\nfb_\w+ {2}up {4}\S+Z {2}Is it "lit"\?\n$/,
    );
    expect((await command("feedback", "-n", "notes", "--tenant", "acme")).stdout).toBe("no feedback in notes\n");
  });

  it("is exported as golden questions that eval reads", async () => {
    const questions = [{ question: 'Is it "lit"?', answers: [{ document: made.document }] }];
    expect(await json("feedback", "export", "-n", "notes")).toEqual({ namespace: "notes", questions });
    const golden = join(folder, "golden.yaml");
    await writeFile(golden, (await command("feedback", "export", "-n", "notes")).stdout);
    const report = await json("eval", golden, "--mode", "keyword");
    expect([report.namespace, report.results[0].measures["MRR@10"].mean]).toEqual(["notes", 1]);
  });

  it("is not exported if nothing was rated up", async () => {
    const { code, stderr, stdout } = await command("feedback", "export", "-n", "notes", "--tenant", "acme");
    expect(stderr).toContain("no upvoted answer in notes cites an existing document");
    expect([code, stdout]).toEqual([1, ""]);
  });
});

describe("golden questions", () => {
  it("are imported from a file, listed, changed, and exported for eval", async () => {
    const golden = join(folder, "keepers.yaml");
    const lamp = { id: "lamp", question: "Is the lamp lit?", answers: [{ document: "lamp.md" }] };
    const bell = { question: "Is the bell rung?", answers: [{ contains: "in fog" }] };
    await writeFile(golden, JSON.stringify({ questions: [lamp, bell] }));
    const { stdout } = await command("golden", "import", golden, "-n", "notes");
    expect(stdout).toBe("2 golden questions added to notes, 0 replaced, 0 unchanged\n");
    const { questions } = await json("golden", "list", "-n", "notes");
    const ids = questions.map(({ id }: { id: string }) => id);
    expect((await command("golden", "disable", ids[0], ids[1], "-n", "notes")).stdout).toMatch(
      /^gq_\w+ {2}disabled {2}manual {2}1 answer {2}Is the lamp lit\?\ngq_.*Is the bell rung\?\n$/,
    );
    await command("golden", "activate", ids[0], "-n", "notes");
    expect(await json("golden", "export", "-n", "notes")).toEqual({ namespace: "notes", questions: [lamp] });
    const none = await command("golden", "export", "-n", "notes", "--status", "draft");
    expect(none.stderr).toBe("no draft golden questions in notes: golden import refuses this file\n");
    await writeFile(golden, (await command("golden", "export", "-n", "notes")).stdout);
    const report = await json("eval", golden, "--mode", "keyword");
    expect(report.results[0].questions.map(({ id }: { id: string }) => id)).toEqual(["lamp"]);
    const words = ["golden", "eval", "-n", "notes", "--mode", "keyword", "--name", "words"];
    const { stdout: evaluated } = await command(...words);
    expect(evaluated).toMatch(/^eval_\w+: 1 questions on notes\n[\s\S]*keyword {2}1\.0000/);
    const { id: second } = await json(...words);
    const first = evaluated.slice(0, evaluated.indexOf(":"));
    expect((await command("golden", "compare", second, first, "-n", "notes")).stdout).toMatch(
      /keyword {2,}nDCG@10 {2}\+0\.0000 .*1\.0000\n/,
    );
    expect((await command("golden", "history", "-n", "notes")).stdout).toMatch(
      new RegExp(`^${second} {2}\\S+Z {2}1 question {2}keyword {2}nDCG@10 1\\.0000 {2}words\n${first} `),
    );
    await command("golden", "delete", ids[1], "-n", "notes");
    expect((await command("golden", "list", "-n", "notes", "--status", "disabled")).stdout).toBe(
      "no golden questions in notes\n",
    );
  });
});

describe("documents", () => {
  const ids = async (...flags: string[]) => {
    const { documents } = await json("documents", "list", "-n", "notes", ...flags);
    return documents.map(({ id }: { id: string }) => id);
  };

  it("are listed, filtered by status and by tenant", async () => {
    expect(await ids()).toEqual([made.document, made.failed, made.tenants]);
    expect(await ids("--status", "FAILED")).toEqual([made.failed]);
    expect(await ids("--tenant", "acme")).toEqual([made.tenants]);
    const { stdout } = await command("documents", "-n", "notes");
    expect(stdout.split("\n")[0]).toMatch(new RegExp(`^${made.document} {2}COMPLETED {2}1 page +1 chunk +lamp.md$`));
  });

  it("are shown with counts and error", async () => {
    const { stdout } = await command("documents", "show", made.document, "-n", "notes");
    for (const line of [/^name +lamp\.md$/m, /^status +COMPLETED$/m, /^size +16 characters, \d+ tokens$/m]) {
      expect(stdout).toMatch(line);
    }
    expect((await command("documents", "show", made.failed, "-n", "notes")).stdout).toMatch(/^error +\S/m);
    expect(await json("documents", "show", made.document, "-n", "notes")).toMatchObject({ totalChunks: 1 });
  });

  it("are not deleted if one of the ids is unknown", async () => {
    const unknown = await command("documents", "delete", made.failed, "doc_unknown", "-n", "notes");
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain("doc_unknown");
    expect(await ids("--status", "FAILED")).toEqual([made.failed]);
    const { code, stdout } = await command("documents", "delete", made.failed, "-n", "notes");
    expect(stdout).toContain(`deleted ${made.failed} (broken.pdf)\n`);
    expect(code).toBe(0);
    expect(await ids("--status", "FAILED")).toEqual([]);
  });
});

describe("jobs", () => {
  it("are listed, newest first, and shown", async () => {
    const { jobs } = await json("jobs", "-n", "notes");
    expect(jobs.at(-1)).toMatchObject({ id: made.job, status: "COMPLETED" });
    const { stdout } = await command("jobs", "show", made.job, "-n", "notes");
    expect(stdout).toMatch(/^documents +1 completed, 0 failed, 1 in total$/m);
  });

  it("are ingested again", async () => {
    const { code, stdout } = await command("jobs", "reingest", made.job, "-n", "notes", "--chunk-size", "500");
    expect(stdout).toMatch(/^1 document, 1 chunk in/);
    expect(code).toBe(0);
    expect(await json("jobs", "show", made.job, "-n", "notes")).toMatchObject({ config: { chunkSize: 500 } });
  });

  it("cannot be cancelled once they have ended", async () => {
    const { code, stderr } = await command("jobs", "cancel", made.job, "-n", "notes");
    expect(stderr).toContain(made.job);
    expect(code).toBe(1);
  });

  it("are deleted while a server runs, which removes them", async () => {
    const server = await serve(directory);
    try {
      expect((await command("jobs", "delete", made.job, "-n", "notes")).code).toBe(0);
      const gone = async () =>
        (await json("jobs", "-n", "notes")).jobs.every(({ id }: { id: string }) => id !== made.job);
      await expect.poll(gone).toBe(true);
    } finally {
      server.kill("SIGTERM");
      await server.ended;
    }
  });
});

it.each([
  [["jobs", "lst"], /unknown command "jobs lst"; did you mean jobs list\?/],
  [["documents", "list", "--status", "FAILD"], /--status must be one of .*not "FAILD"; did you mean FAILED\?/],
  [["documents", "show", "-n", "notes"], /documents show needs <id>/],
])("refuses %j", async (args, message) => {
  const { code, stderr } = await lorebaseHere([...args, "-d", directory]);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});
