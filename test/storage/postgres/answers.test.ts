import { KnowledgeBase, type KnowledgeBaseOptions } from "lorebase";
import { afterAll, expect, it, onTestFinished } from "vitest";
import type { Filter } from "../../../src/filter.js";
import { LEXICAL } from "../../support/knowledge-base.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const database = await openTestDatabase();
afterAll(() => database?.drop());

const NOTES = [
  "The ferry leaves the cove at nine. In fog it stays at the landing.",
  "Tide pools hold anemones, hermit crabs and small fish between the rocks.",
  "The landing is closed while the tide is high and the fog is dense.",
  "東京タワー stands above the landing.",
  "A lamp burns at the landing in every fog. \0",
  "Anemones close when the tide runs out and open when it returns.",
];
const QUERIES = [
  "landing in fog",
  "tide pools",
  '"tide is high"',
  "anemon*",
  "東京",
  "closed anemones",
  "nothing known",
];
const FILTERS: readonly (Filter | undefined)[] = [undefined, { part: { $gte: 1 } }, { area: { $ne: "cove" } }];

/** What a caller sees: answers to the same questions, after each of some changes. */
async function answersOf(options: KnowledgeBaseOptions): Promise<unknown[]> {
  const kb = new KnowledgeBase({ directory: temporaryDirectory(), defaultEmbedding: LEXICAL, ...options });
  onTestFinished(() => kb.close());
  await kb.namespaces.create({ name: "Notes", slug: "notes" });
  const namespace = kb.namespace("notes");
  const answers: unknown[] = [];
  const ask = async () => {
    for (const searched of [namespace, namespace.tenant("acme")])
      for (const query of QUERIES)
        for (const mode of ["keyword", "semantic", "hybrid"] as const)
          for (const filter of FILTERS) {
            const hits = await searched.search(query, { mode, topK: 4, ...(filter && { filter }) });
            answers.push([
              query,
              mode,
              hits.map(({ text, score, metadata }) => [text, score.toFixed(6), metadata?.part]),
            ]);
          }
  };
  const itemsOf = (texts: readonly string[]) =>
    texts.map((text, part) => {
      return { type: "TEXT" as const, text, config: { metadata: { part, area: part % 2 === 0 ? "cove" : "shore" } } };
    });
  const run = namespace.ingest({ type: "BATCH", items: itemsOf(NOTES) });
  answers.push((await run.done()).status);
  await namespace
    .tenant("acme")
    .ingest({ type: "BATCH", items: itemsOf(NOTES.slice(2)) })
    .done();
  await ask();
  const documents = await namespace.documents.list();
  await namespace.ingestJobs.reingest((await namespace.ingestJobs.list()).items[0]!.id).done();
  await ask();
  await namespace.documents.delete(documents.items[0]!.id);
  await ask();
  await kb.drain();
  answers.push((await namespace.documents.list()).items.length);
  await ask();
  return answers;
}

it.skipIf(!database)(
  `answers over PostgreSQL as over SQLite${database ? "" : ` (${POSTGRES_MISSING})`}`,
  { timeout: 180_000 },
  async () => {
    const expected = await answersOf({});
    expect(expected.flat(2).length).toBeGreaterThan(200);
    const shared = { masterKey: "11".repeat(32), sharedDirectory: true };
    expect(await answersOf({ database: database!.url, ...shared })).toEqual(expected);
  },
);
