import { KnowledgeBase } from "lorebase";
import { describe, expect, it, onTestFinished } from "vitest";
import { copiesOf } from "../support/copied-directory.js";
import { queryDatabase, writeDatabase } from "../support/database.js";
import { failureOf, ingestTexts, LEXICAL, newNamespace } from "../support/knowledge-base.js";

const LAMP = "The lamp of the lighthouse is lit at dusk by the keeper.";
const OIL = "The lamp oil of the lighthouse is changed at six by the keeper.";

const copy = copiesOf(async (directory) => {
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  try {
    const handle = await newNamespace(kb);
    await ingestTexts(handle, [LAMP]);
    const jobId = await ingestTexts(handle, [OIL]);
    const [document] = (await handle.documents.list({ ingestJobId: jobId })).items;
    await kb.drain();
    return { namespaceId: handle.ref, jobId, documentId: document!.id };
  } finally {
    await kb.close();
  }
});

/** A knowledge base with two documents, one of which is to be damaged. */
async function openLighthouse() {
  const { directory, made } = await copy();
  const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
  onTestFinished(() => kb.close());
  return { directory, kb, handle: kb.namespace(made.namespaceId), jobId: made.jobId, documentId: made.documentId };
}

/** Changes a column of the rows of a text, as a failing disk would: without changing their hash. */
function damage(directory: string, table: string, change: string, value: string): void {
  const sql = `UPDATE ${table} SET ${change} WHERE text LIKE '%oil%'`;
  writeDatabase(directory, [{ sql, parameters: [value] }]);
}

const nextWarning = (kb: KnowledgeBase) =>
  new Promise<string>((resolve) => void kb.on("warning", ({ message }) => resolve(message)));

describe("a damaged chunk", () => {
  it.each(["keyword", "semantic", "hybrid"] as const)("is in no result of a %s search", async (mode) => {
    const { directory, kb, handle, documentId } = await openLighthouse();
    damage(directory, "chunks", "text = replace(text, 'six', ?)", "ten");
    const warning = nextWarning(kb);
    const hits = await handle.search("lamp of the lighthouse", { mode });
    expect(hits.map(({ text }) => text)).toEqual([LAMP]);
    expect(await warning).toContain(documentId);
    const { status, error } = await handle.documents.get(documentId);
    expect({ status, error }).toEqual({
      status: "FAILED",
      error: expect.stringMatching(/chunk 1 .*Ingest the document/),
    });
  });

  it.each([
    ["headings", "headings = ?", '["Night watch"]'],
    ["headings that are no JSON", "headings = ?", "[x"],
    ["metadata", "metadata = ?", '{"filename":"other.txt"}'],
    ["a position", "start_offset = start_offset + length(?)", "x"],
  ])("is found by %s too", async (_, change, value) => {
    const { directory, handle } = await openLighthouse();
    damage(directory, "chunks", change, value);
    const hits = await handle.search("lamp of the lighthouse", { topK: 1 });
    expect(hits.map(({ text }) => text)).toEqual([LAMP]);
  });

  it("fails its job, whose watchers get the events", async () => {
    const { directory, kb, handle, jobId } = await openLighthouse();
    damage(directory, "chunks", "text = ?", "The keeper has left.");
    const failed = new Promise((resolve) => {
      kb.on("job.status", (event) => event.status === "FAILED" && resolve(event.jobId));
    });
    await handle.search("lamp");
    expect(await failed).toBe(jobId);
    const job = await handle.ingestJobs.get(jobId);
    expect(job).toMatchObject({ status: "FAILED", counts: { documents: { total: 1, completed: 0, failed: 1 } } });
  });

  it("ends the list of the document's chunks with an error", async () => {
    const { directory, handle, documentId } = await openLighthouse();
    damage(directory, "chunks", "text = ?", "The keeper has left.");
    const error = await failureOf(async () => {
      for await (const _ of handle.documents.chunks(documentId));
    });
    expect(error).toMatchObject({ code: "not_ready", message: expect.stringContaining(documentId) });
  });

  it("is replaced when its job is ingested again", async () => {
    const { directory, handle, jobId, documentId } = await openLighthouse();
    damage(directory, "chunks", "text = ?", "[x");
    await handle.search("lamp");
    await expect.poll(async () => (await handle.ingestJobs.get(jobId)).status).toBe("FAILED");
    expect((await (await handle.ingestJobs.reingest(jobId)).done()).status).toBe("COMPLETED");
    const texts = (await handle.search("lamp")).map(({ text }) => text);
    expect(new Set(texts)).toEqual(new Set([LAMP, OIL]));
    expect(await handle.documents.get(documentId)).toMatchObject({ status: "COMPLETED", error: null });
  });

  it("can be deleted with its document", async () => {
    const { directory, kb, handle, documentId } = await openLighthouse();
    damage(directory, "chunks", "metadata = ?", "{x");
    await handle.documents.delete(documentId);
    await kb.drain();
    expect(queryDatabase(directory, "SELECT seq FROM chunks")).toHaveLength(1);
    expect(
      queryDatabase(directory, "SELECT 1 FROM chunk_metadata WHERE chunk_seq NOT IN (SELECT seq FROM chunks)"),
    ).toEqual([]);
  });
});

describe("a damaged request of a queued job", () => {
  it("fails the job, and no document is made of the altered text", async () => {
    const { directory } = await copy();
    const queued = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL, worker: false });
    const [namespace] = (await queued.namespaces.list()).items;
    const { id } = await queued.ingest(namespace!.id, { type: "TEXT", text: "The oil valve is closed at noon." });
    await queued.close();
    const change = "UPDATE ingest_job_payloads SET payload = replace(payload, 'noon', ?) WHERE payload LIKE '%valve%'";
    writeDatabase(directory, [{ sql: change, parameters: ["dusk"] }]);
    const kb = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
    onTestFinished(() => kb.close());
    await kb.drain();
    const handle = kb.namespace(namespace!.id);
    expect(await handle.ingestJobs.get(id)).toMatchObject({
      status: "FAILED",
      error: expect.stringMatching(/request of the job .* is damaged: .*submit its content again/),
    });
    expect(await handle.search("valve", { mode: "keyword" })).toEqual([]);
  });
});

describe("a damaged text", () => {
  it("is neither read nor cited", async () => {
    const { directory, handle, documentId } = await openLighthouse();
    damage(directory, "document_texts", "text = replace(text, 'six', ?)", "ten");
    expect(await failureOf(() => handle.documents.text(documentId))).toMatchObject({ code: "not_ready" });
    const answer = await handle.ask("When is the lamp oil of the lighthouse changed?");
    expect(answer.citations.filter((citation) => citation.documentId === documentId)).toEqual([]);
    expect((await handle.documents.get(documentId)).status).toBe("FAILED");
  });
});

describe("rows of an earlier version", () => {
  it("get their hashes from maintenance", async () => {
    const { directory, kb, handle } = await openLighthouse();
    await ingestTexts(
      handle,
      Array.from({ length: 900 }, (_, index) => `Note ${index} of the keeper.`),
    );
    await kb.close();
    const keys = { chunks: "seq", vectors: "chunk_seq", document_texts: "document_seq", events: "seq" };
    const tables = Object.keys(keys) as (keyof typeof keys)[];
    const hashesOf = (table: keyof typeof keys) =>
      queryDatabase<{ hash: number | null }>(directory, `SELECT hash FROM ${table} ORDER BY ${keys[table]}`);
    const written = tables.map(hashesOf);
    writeDatabase(
      directory,
      tables.flatMap((table) => [
        { sql: `UPDATE ${table} SET hash = NULL` },
        {
          sql: `INSERT INTO unhashed_rows SELECT '${table}', 0, max(${keys[table]}) FROM ${table} HAVING count(*) > 0`,
        },
      ]),
    );
    const again = new KnowledgeBase({ directory, defaultEmbedding: LEXICAL });
    onTestFinished(() => again.close());
    expect((await again.namespace(handle.ref).search("lamp")).length).toBeGreaterThan(0);
    await expect.poll(() => queryDatabase(directory, "SELECT * FROM unhashed_rows")).toEqual([]);
    expect(tables.map(hashesOf)).toEqual(written);
  });
});
