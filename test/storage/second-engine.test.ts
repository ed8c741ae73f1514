import { afterAll, expect, it, onTestFinished } from "vitest";
import { toIngestEngine } from "#dist/create-engine.js";
import { IngestWorker } from "#dist/ingest/worker.js";
import { openSqliteStorage } from "#dist/storage/sqlite/sqlite-storage.js";
import type { Filter } from "../../src/filter.js";
import type { Storage } from "../../src/storage/storage.js";
import { openEngineOver } from "../support/open-engine.js";
import { openSecondStorage, startPglite } from "../support/second-storage.js";

const database = startPglite();
afterAll(() => database.close());

const NOTES = [
  "The ferry leaves the cove at nine. In fog it stays at the landing.",
  "Tide pools hold anemones, hermit crabs and small fish between the rocks.",
  "The landing is closed while the tide is high and the fog is dense.",
  "Rocks above the pools stay dry; crabs hide below them.",
  "A lamp burns at the landing in every fog.",
  "Anemones close when the tide runs out and open when it returns.",
];
const QUERIES = [
  "landing in fog",
  "tide pools",
  "crabs",
  "when does the ferry leave",
  "closed anemones",
  "nothing known",
];
const FILTERS: readonly (Filter | undefined)[] = [undefined, { part: { $gte: 1 } }, { area: { $ne: "cove" } }];

/** What a caller sees of one storage: answers to the same questions, before and after changes. */
async function answersOf(open: (path: string) => Promise<Storage>): Promise<unknown[]> {
  const opened = await openEngineOver(open, { defaultEmbedding: { provider: "MANAGED_LEXICAL" } });
  onTestFinished(() => opened.close());
  const worker = new IngestWorker(toIngestEngine(opened.engine, opened.directory));
  await worker.start();
  onTestFinished(() => worker.stop());
  const organization = opened.organization();
  await organization.namespaces.create({ name: "Notes", slug: "notes" });
  const namespace = organization.namespace("notes");
  const answers: unknown[] = [];
  const ask = async () => {
    for (const query of QUERIES)
      for (const mode of ["keyword", "semantic", "hybrid"] as const)
        for (const filter of FILTERS) {
          const hits = await namespace.search(query, { mode, topK: 4, ...(filter && { filter }) });
          answers.push(hits.map(({ text, score, metadata }) => [text, score.toFixed(5), metadata?.part]));
        }
  };
  const items = NOTES.map((text, part) => {
    return { type: "TEXT" as const, text, config: { metadata: { part, area: part % 2 === 0 ? "cove" : "shore" } } };
  });
  const run = await namespace.ingest({ type: "BATCH", items });
  answers.push((await run.done()).status);
  await ask();
  const documents = await namespace.documents.list();
  answers.push(documents.items.map(({ status, totalChunks }) => [status, totalChunks]));
  await namespace.documents.delete(documents.items[0]!.id);
  await worker.drain();
  await ask();
  return answers;
}

it("gives the same answers over a second engine", { timeout: 120_000 }, async () => {
  const expected = await answersOf(openSqliteStorage);
  expect(expected.flat(2).length).toBeGreaterThan(100);
  expect(await answersOf(() => openSecondStorage(database))).toEqual(expected);
});
