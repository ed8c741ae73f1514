import { expect, it } from "vitest";
import { readBlocks } from "#dist/storage/postgres/search-index/read-blocks.js";
import type { Snapshot } from "../../../src/storage/postgres/search-index/snapshot.js";

it("reads blocks in statements of a limited number of bytes, and a block that has more alone", async () => {
  const MIB = 1024 * 1024;
  const sizes = [3, 5, 1, 20, 1, 1].map((size, index) => ({ id: 10 + index, bytes: size * MIB }));
  const statements: number[][] = [];
  const snapshot = {
    rows: async (sql: string) => (sql.includes("octet_length(words) + octet_length(positions)") ? sizes : []),
    copy: async (_columns: object, _sql: string, ids: number[]) => {
      statements.push(ids);
      return ids.map((id) => ({ id, words: Uint8Array.of(id), positions: Uint8Array.of() }));
    },
  } as Snapshot;
  const read = [];
  for await (const { id, words } of readBlocks(snapshot, ["words", "positions"], "scope_id = ?", 1))
    read.push([id, words[0]]);
  expect(statements).toEqual([[10, 11], [12], [13], [14, 15]]);
  expect(read).toEqual(sizes.map(({ id }) => [id, id]));
});
