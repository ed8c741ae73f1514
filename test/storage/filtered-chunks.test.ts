import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parseFilter } from "#dist/filter.js";
import { migrate } from "#dist/storage/sqlite/migrate.js";
import { MIGRATIONS } from "#dist/storage/sqlite/migrations/index.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { filteredChunks } from "#dist/storage/sqlite/search-index/filtered-chunks.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const SCOPE = { organizationId: "org", namespaceId: "ns", tenantId: null };

it("caches a list until something changes, and evicts it if lists take too much memory", () => {
  const db = openDatabase();
  const list = (year: string, epoch = 1) =>
    filteredChunks(
      db,
      { id: 1, epoch, chunks: 0, keyword_table: 0, keyword_version: 0, vector_set: 0 },
      { scope: SCOPE, filter: parseFilter({ year }) },
    );
  const first = list("2026");
  for (let more = 0; more < 20; more++) list(`${more}`.repeat(100));
  expect(list("2026")).toBe(first);
  expect(list("2026", 2)).not.toBe(first);
  const second = list("2026", 2);
  for (let more = 0; more < 20; more++) list(`${more}`.padEnd(2 ** 20));
  expect(list("2026", 2)).not.toBe(second);
});

it("returns each chunk once, in order, whichever values it matches", () => {
  const db = openDatabase();
  const insert = (chunk: number, kind: string, value: string) =>
    db.run("INSERT INTO chunk_metadata VALUES (1, 'tag', ?, ?, ?)", kind, value, chunk);
  for (const [chunk, value] of [
    [7, "a"],
    [3, "b"],
    [2 ** 40, "a"],
    [5, "c"],
    [3, "a"],
  ] as const)
    insert(chunk, "a", value);
  const list = (filter: object) => [
    ...filteredChunks(
      db,
      { id: 1, epoch: 1, chunks: 0, keyword_table: 0, keyword_version: 0, vector_set: 0 },
      { scope: SCOPE, filter: parseFilter(filter) },
    ),
  ];
  expect(list({ tag: { $in: ["a", "b"] } })).toEqual([3, 7, 2 ** 40]);
  expect(list({ tag: "a" })).toEqual([3, 7, 2 ** 40]);
  expect(list({ tag: "z" })).toEqual([]);
});

function openDatabase(): Statements {
  const connection = openConnection(join(temporaryDirectory(), "lorebase.db"), "writer");
  onTestFinished(() => void connection.close());
  migrate(connection, MIGRATIONS);
  return new Statements(connection);
}
