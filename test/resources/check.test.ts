import { readdirSync } from "node:fs";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type CheckEvent, type CheckFinding, type CheckSummary, KnowledgeBase } from "lorebase";
import { memoryVectorStore } from "lorebase/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { copiesOf } from "../support/copied-directory.js";
import { changeUnsafely, damageKeywords, shortenIndex } from "../support/damaged-structure.js";
import { writeDatabase } from "../support/database.js";
import { ingestTexts, LEXICAL, newNamespace } from "../support/knowledge-base.js";
import { onlySqlite } from "../support/only-sqlite.js";
import { ON_POSTGRES } from "../support/postgres-directories.js";
import { providerOf } from "../support/providers.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

/** What is in a knowledge base: notes, each a document, and one document with more than all of them. */
interface Content {
  readonly notes: number;
  readonly pages: number;
}
const SMALL: Content = { notes: 40, pages: 0 };
/** Enough chunks for a keyword table. */
const MANY: Content = { notes: 40, pages: 1160 };
/** Enough for vector files. */
const MOST: Content = { notes: 40, pages: 3960 };

interface Filled {
  readonly namespaceId: string;
  readonly textJob: string;
  readonly fileJob: string;
  readonly key: string;
}

async function fill(directory: string, { notes, pages }: Content): Promise<Filled> {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  try {
    const handle = await newNamespace(kb);
    const textOf = (index: number) => `Note ${index}: the keeper lit the lamp ${index} times.`;
    const textJob = await ingestTexts(
      handle,
      Array.from({ length: notes }, (_, index) => textOf(index)),
    );
    if (pages > 0) {
      const text = Array.from({ length: pages }, (_, index) => textOf(notes + index)).join("\n\n");
      const sizes = { chunkSize: 48, maxChunkSize: 64, chunkOverlap: 0 };
      await handle.ingest({ type: "TEXT", text }, sizes).done({ throwOnFailure: true });
    }
    const { key } = await handle.uploads.put({
      fileName: "lamp.md",
      body: Buffer.from("# Lamp\n\nIt is lit at dusk."),
    });
    const { id: fileJob } = await handle.ingest({ type: "MANAGED_FILE", key }, { metadata: { year: 1900 } }).done();
    await kb.drain();
    return { namespaceId: handle.ref, textJob, fileJob, key };
  } finally {
    await kb.close();
  }
}

const copies = new Map([SMALL, MANY, MOST].map((content) => [content, copiesOf((to) => fill(to, content))]));

/** A knowledge base with texts and a file. */
async function openFilled(content = SMALL) {
  const { directory, made } = await copies.get(content)!();
  const { namespaceId, textJob, fileJob, key } = made;
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  onTestFinished(() => kb.close());
  return { directory, kb, handle: kb.namespace(namespaceId), textJob, fileJob, path: join(directory, "blobs", key) };
}

async function checked(kb: KnowledgeBase, options = {}) {
  const events: CheckEvent[] = [];
  for await (const event of kb.check(options)) events.push(event);
  const findings = events.flatMap((event) => (event.type === "finding" ? [event.finding] : []));
  const last = events.at(-1)!;
  if (last.type !== "summary") throw new Error("The check ended without a summary.");
  return { findings, summary: last.summary, stages: new Set(events.map((event) => "stage" in event && event.stage)) };
}

const clean = (summary: CheckSummary) => ({ findings: summary.findings, damaged: summary.damaged });
const CLEAN = { findings: 0, damaged: [] };

/** Runs a check, then one that repairs, then a third; returns the findings of the first and the last summary. */
async function repaired(kb: KnowledgeBase): Promise<{ findings: readonly CheckFinding[]; after: CheckSummary }> {
  const { findings } = await checked(kb);
  const repair = await checked(kb, { repair: true });
  expect(repair.findings.map(({ isRepaired, ...finding }) => finding)).toEqual(
    findings.map(({ isRepaired, ...finding }) => finding),
  );
  return { findings, after: (await checked(kb)).summary };
}

it("finds nothing wrong in what was just written, and counts what it compared", async () => {
  const { kb } = await openFilled(MANY);
  const { findings, summary, stages } = await checked(kb);
  expect(findings).toEqual([]);
  expect(summary).toMatchObject({ checked: { documents: 42, chunks: 1201, files: 1 }, findings: 0, damaged: [] });
  for (const stage of [
    "database",
    "documents",
    "chunks",
    "vectors",
    "texts",
    "sources",
    "index",
    "usage",
    "counts",
    "files",
  ])
    expect(stages).toContain(stage);
});

describe("lost content", () => {
  const chunkOf = (note: number) => `(SELECT seq FROM chunks WHERE text LIKE 'Note ${note}:%')`;
  const documentOf = (note: number) => `(SELECT document_seq FROM chunks WHERE text LIKE 'Note ${note}:%')`;
  /** Each in another document. */
  const damages: readonly (readonly [stage: string, sql: string, message: RegExp])[] = [
    [
      "vectors",
      `UPDATE vectors SET hash = hash + 1 WHERE chunk_seq = ${chunkOf(9)}`,
      /vector of its chunk 1 is not what/,
    ],
    ["documents", `DELETE FROM vectors WHERE chunk_seq = ${chunkOf(11)}`, /vectors of 0 of its 1 chunks/],
    ["documents", `UPDATE documents SET total_chunks = 3 WHERE seq = ${documentOf(13)}`, /1 of its 3 chunks/],
    ["chunks", "UPDATE chunks SET text = 'other' WHERE text LIKE 'Note 7:%'", /chunk 1 is not what was written/],
    [
      "texts",
      "UPDATE document_texts SET text = replace(text, '6', '5') WHERE text LIKE 'Note 6:%'",
      /text from character 0/,
    ],
  ];

  it("is found in chunks, vectors, documents and texts, and can be ingested again", async () => {
    const { directory, kb, handle, textJob } = await openFilled();
    writeDatabase(
      directory,
      damages.map(([, sql]) => ({ sql })),
    );
    const { findings, after } = await repaired(kb);
    const found = findings.filter(({ stage }) => damages.some(([damaged]) => damaged === stage));
    expect(found).toHaveLength(damages.length);
    for (const [stage, , message] of damages) {
      const own = found.filter((finding) => finding.stage === stage && message.test(finding.message));
      expect(own).toEqual([expect.objectContaining({ remedy: "ingest-again", namespaceId: handle.ref })]);
      expect(await handle.documents.get(own[0]!.documentId!)).toMatchObject({
        status: "FAILED",
        error: expect.stringMatching(message),
      });
    }
    const damaged = found.map(({ documentId }) => ({ documentId, ingestJobId: textJob, hasSource: true }));
    expect(new Set(after.damaged)).toEqual(new Set(damaged));
    expect((await (await handle.ingestJobs.reingest(textJob)).done()).status).toBe("COMPLETED");
    await kb.drain();
    expect(clean((await checked(kb)).summary)).toEqual(CLEAN);
  });

  it.each([
    [
      "the source of a text, from its payload",
      "UPDATE document_sources SET source = replace(source, 'Note 7:', 'Note 8:')",
    ],
    ["the source, if it is no JSON", "UPDATE document_sources SET source = '{' WHERE source LIKE '%Note 7:%'"],
    ["a payload, from the sources", "UPDATE ingest_job_payloads SET payload = replace(payload, 'Note 7:', 'Note 8:')"],
  ])("is restored in %s", async (_, sql) => {
    const { directory, kb, handle } = await openFilled();
    writeDatabase(directory, [{ sql }]);
    const ids: string[] = [];
    for await (const { id } of handle.documents.iterate()) ids.push(id);
    expect(ids).toHaveLength(41);
    const { findings, after } = await repaired(kb);
    expect(findings).toEqual([expect.objectContaining({ stage: "sources", remedy: "upload-again" })]);
    expect(clean(after)).toEqual(CLEAN);
  });

  it("is found in the source of a text whose payload is damaged too", async () => {
    const { directory, kb } = await openFilled();
    writeDatabase(directory, [
      { sql: "UPDATE document_sources SET source = replace(source, 'Note 7:', 'Note 8:')" },
      { sql: "UPDATE ingest_job_payloads SET payload = replace(payload, 'Note 7:', 'Note 8:')" },
    ]);
    const { after } = await repaired(kb);
    expect(after.damaged).toEqual([expect.objectContaining({ hasSource: false })]);
  });

  it("is found in an event, which a repair removes", async () => {
    const { directory, kb } = await openFilled();
    writeDatabase(directory, [{ sql: "UPDATE events SET data = '{}' WHERE seq = 9" }]);
    const first = await checked(kb);
    expect(first.findings).toEqual([
      expect.objectContaining({ message: expect.stringContaining("The event 9 of the job") }),
    ]);
    expect((await checked(kb, { repair: true })).findings).toEqual([expect.objectContaining({ isRepaired: true })]);
    expect(clean((await checked(kb)).summary)).toEqual(CLEAN);
  });

  it.each([
    ["altered", (path: string) => flipFirstBit(path), /is damaged: its SHA-256/],
    ["cut", (path: string) => writeFile(path, "# L"), /is damaged: it has 3 bytes/],
    ["removed", (path: string) => rm(path), /is missing/],
  ] as const)("is found in a file that was %s", async (_, change, message) => {
    const { kb, handle, fileJob, path } = await openFilled();
    const [document] = (await handle.documents.list({ ingestJobId: fileJob })).items;
    await change(path);
    const { findings, after } = await repaired(kb);
    expect(findings).toEqual([
      expect.objectContaining({
        documentName: "lamp.md",
        message: expect.stringMatching(message),
        remedy: "upload-again",
      }),
    ]);
    expect(after.damaged).toEqual([{ documentId: document!.id, ingestJobId: fileJob, hasSource: false }]);
    // What is published was made of the whole file.
    expect((await handle.documents.get(document!.id)).status).toBe("COMPLETED");
  });

  it.each([
    ["read", (path: string) => mkdir(path), /could not be read: EISDIR: .*, read\. Make it readable/],
    ["opened", (path: string) => symlink(path, path), /could not be read: ELOOP: .*, open .*\. Make it readable/],
  ] as const)("is not known of a file that cannot be %s, and the check goes on", async (_, replace, message) => {
    const { kb, handle, path } = await openFilled();
    const { key } = await handle.uploads.put({ fileName: "oil.md", body: Buffer.from("Oil is changed at six.") });
    await rm(join(path, "..", basename(key)));
    await rm(path);
    await replace(path);
    const { findings, summary } = await checked(kb, { repair: true });
    expect(findings).toEqual([
      expect.objectContaining({ documentName: "lamp.md", message: expect.stringMatching(message), remedy: "manual" }),
      expect.objectContaining({ message: expect.stringMatching(/oil.md" is missing/), remedy: "upload-again" }),
    ]);
    expect(findings[0]!.message).toContain('"lamp.md"');
    expect(summary).toMatchObject({ checked: { files: 2 }, damaged: [] });
  });
});

describe("derived data", () => {
  const cases: readonly (readonly [sql: string, message: RegExp])[] = [
    ["DELETE FROM chunk_metadata WHERE chunk_seq = 1201", /metadata index differs .* of 1 chunks/],
    [
      ON_POSTGRES
        ? `WITH parts AS (UPDATE keyword_parts SET positions = substr(positions, 1, 20))
          UPDATE search_blocks SET positions = substr(positions, 1, 20)`
        : "INSERT INTO keywords_1 (keywords_1, rowid, text) VALUES ('delete', 9, 'lamp')",
      /keyword index has other words/,
    ],
    ...(ON_POSTGRES ? [] : ([["UPDATE scopes SET chunks = chunks + 5", /counts 1206 chunks and has 1201/]] as const)),
  ];
  it("is repaired: the metadata index, the keyword index and a scope's count", async () => {
    const { directory, kb, handle } = await openFilled(MANY);
    const find = () =>
      handle.search("lamp keeper", { mode: "keyword", topK: 20, filter: { filename: { $exists: false } } });
    const before = await find();
    writeDatabase(
      directory,
      cases.map(([sql]) => ({ sql })),
    );
    const { findings, after } = await repaired(kb);
    expect(findings).toHaveLength(cases.length);
    for (const [, message] of cases)
      expect(findings).toContainEqual(
        expect.objectContaining({ stage: "index", message: expect.stringMatching(message), remedy: "rebuild" }),
      );
    expect(clean(after)).toEqual(CLEAN);
    expect(await find()).toEqual(before);
  });

  onlySqlite("PostgreSQL checks its own indexes")(
    "is repaired: indexes of SQLite, also if it lists only some of what is wrong",
    async () => {
      const { directory, kb } = await openFilled();
      const path = join(directory, "lorebase.db");
      shortenIndex(path, "events_job", "seq < 3");
      shortenIndex(path, "documents_list", "seq < 3");
      const { findings } = await checked(kb);
      expect(findings).toHaveLength(100);
      expect(new Set(findings.map(({ stage, remedy }) => `${stage} ${remedy}`))).toEqual(new Set(["database rebuild"]));
      expect(findings.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/^SQLite: row \d+ missing from index events_job\.$/),
      );
      const repair = await checked(kb, { repair: true });
      expect(repair.summary.repaired).toBe(repair.summary.findings);
      expect(clean((await checked(kb)).summary)).toEqual(CLEAN);
    },
  );

  onlySqlite("FTS5 checks its own tables")("is repaired: a keyword index that SQLite finds damaged", async () => {
    const { directory, kb, handle } = await openFilled(MANY);
    damageKeywords(join(directory, "lorebase.db"), 1);
    const { findings } = await checked(kb);
    expect(findings).toContainEqual(
      expect.objectContaining({ stage: "database", message: expect.stringContaining("keywords_1") }),
    );
    const repair = await checked(kb, { repair: true });
    expect(repair.summary.repaired).toBe(repair.summary.findings);
    expect(clean((await checked(kb)).summary)).toEqual(CLEAN);
    expect(await handle.search("lamp keeper", { mode: "keyword", topK: 20 })).toHaveLength(20);
  });

  onlySqlite("vector files are in a directory")("is repaired: vector files", async () => {
    const { directory, kb } = await openFilled(MOST);
    const scan = join(directory, "scan");
    await expect.poll(() => readdirSync(directory).includes("scan") && readdirSync(scan).length).toBeGreaterThan(0);
    await kb.drain();
    const path = join(scan, readdirSync(scan)[0]!);
    const bytes = await readFile(path);
    bytes[bytes.length - 100]! ^= 1;
    await writeFile(path, bytes);
    const { findings, after } = await repaired(kb);
    expect(findings).toEqual([expect.objectContaining({ message: expect.stringMatching(/vector file .* differs/) })]);
    expect(clean(after)).toEqual(CLEAN);
  });
});

it("compares the usage of organizations with their documents, and corrects it", async () => {
  const { directory, kb, handle } = await openFilled();
  const usage = await kb.organizations.usage("org_default");
  writeDatabase(directory, [
    { sql: "UPDATE usage_changes SET documents = documents + 3 WHERE seq = (SELECT min(seq) FROM usage_changes)" },
    { sql: "UPDATE usage_changes SET tokens = tokens - 5 WHERE seq = (SELECT max(seq) FROM usage_changes)" },
  ]);
  const { findings, after } = await repaired(kb);
  expect(findings).toEqual([
    expect.objectContaining({
      stage: "usage",
      message: expect.stringContaining("by 3 documents, 0 bytes and -5 tokens"),
      namespaceId: handle.ref,
      remedy: "rebuild",
    }),
  ]);
  expect(clean(after)).toEqual(CLEAN);
  expect(await kb.organizations.usage("org_default")).toEqual(usage);
});

onlySqlite("PostgreSQL refuses such rows")(
  "names rows that refer to missing ones, says what they mean, and repairs the rest",
  async () => {
    const { directory, kb } = await openFilled();
    changeUnsafely(join(directory, "lorebase.db"), (db) => {
      db.exec("INSERT INTO scope_changes VALUES (9001, 1, 1), (9001, 2, 1), (9002, 1, 1)");
      db.exec(`INSERT INTO feedback (id, namespace_id, question, answer, rating, chunk_ids, created_at)
      VALUES ('fb_1', 'ns_gone', 'When?', 'At dusk.', 'up', '[]', 0)`);
      db.exec("UPDATE scopes SET chunks = chunks + 5");
    });
    const { findings } = await checked(kb, { repair: true });
    const describe = ({ stage, message, remedy, isRepaired }: CheckFinding) => ({ stage, message, remedy, isRepaired });
    expect(findings.map(describe)).toEqual([
      {
        stage: "database",
        message: expect.stringMatching(
          /^Rows of feedback refer to rows of namespaces that are missing: 1, with the namespace_id ns_gone\. What they hold is not found/,
        ),
        remedy: "manual",
        isRepaired: false,
      },
      {
        stage: "database",
        message: expect.stringMatching(
          /^Rows of scope_changes refer to rows of scopes that are missing: 3, with the scope_id 9001, 9002\. .* no backup is needed/,
        ),
        remedy: "manual",
        isRepaired: false,
      },
      { stage: "index", message: "The scope counts 46 chunks and has 41.", remedy: "rebuild", isRepaired: true },
    ]);
  },
);

it("finds a chunk whose vector is not known to be in the namespace's store, which an ingest sends again", async () => {
  const directory = temporaryDirectory();
  const store = memoryVectorStore();
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, vectorStores: [providerOf(store)] });
  onTestFinished(() => kb.close());
  const handle = await newNamespace(kb, { vectorStoreConfig: { provider: "MEMORY" } });
  const job = await ingestTexts(handle, ["The lamp is lit at dusk.", "The keeper sleeps."]);
  expect(clean((await checked(kb)).summary)).toEqual(CLEAN);
  const [, second] = (await handle.documents.list({ order: "asc" })).items;
  const sql = `DELETE FROM store_vectors WHERE chunk_seq IN
    (SELECT c.seq FROM chunks c JOIN documents d ON d.seq = c.document_seq WHERE d.id = ?)`;
  writeDatabase(directory, [{ sql, parameters: [second!.id] }]);
  const { findings } = await checked(kb, { repair: true });
  const message = "The vectors of 0 of its 1 chunks are known to be in its vector store.";
  expect(findings).toMatchObject([{ stage: "documents", documentId: second!.id, message, remedy: "ingest-again" }]);
  expect(await handle.documents.get(second!.id)).toMatchObject({ status: "FAILED" });
  await handle.ingestJobs.reingest(job).done();
  await kb.drain();
  expect(clean((await checked(kb)).summary)).toEqual(CLEAN);
  expect(store.size).toBe(2);
});

it("can be stopped", async () => {
  const { kb } = await openFilled();
  const stop = new AbortController();
  const run = async () => {
    for await (const { type } of kb.check({ signal: stop.signal })) if (type === "progress") stop.abort();
  };
  await expect(run()).rejects.toThrow(/abort/i);
});

async function flipFirstBit(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes[0]! ^= 1;
  await writeFile(path, bytes);
}
