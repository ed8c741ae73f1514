import type { IndexValue } from "./index-database.js";
import type { Snapshot } from "./snapshot.js";

/** A statement reads so many bytes, or one block: the server ends a statement that takes longer than its time limit. */
const BYTES_PER_STATEMENT = 8 * 1024 * 1024;

/** A column of a block that is as large as its content. */
type ContentColumn = "words" | "positions" | "records";

type Block<Column extends ContentColumn> = Readonly<Record<Column, Uint8Array>> & { readonly id: number };

/**
 * Reads columns of the blocks that meet a condition, in the order of their ids, however many there are. While the caller
 * uses blocks, the next ones are read.
 */
export async function* readBlocks<Column extends ContentColumn>(
  db: Snapshot,
  columns: readonly Column[],
  condition: string,
  ...parameters: readonly IndexValue[]
): AsyncGenerator<Block<Column>> {
  const sizes = await db.rows<{ id: number; bytes: number }>(
    `SELECT id, ${columns.map((column) => `octet_length(${column})`).join(" + ")} AS bytes
     FROM search_blocks WHERE ${condition} ORDER BY id`,
    ...parameters,
  );
  const groups = groupBySize(sizes);
  let reading = readGroup(db, columns, groups[0]);
  for (const [index] of groups.entries()) {
    const blocks = await reading;
    reading = readGroup(db, columns, groups[index + 1]);
    yield* blocks;
  }
}

/** Returns the ids of the blocks that each statement reads. */
function groupBySize(
  blocks: readonly { readonly id: number; readonly bytes: number }[],
): readonly (readonly number[])[] {
  const groups: number[][] = [];
  let room = 0;
  for (const { id, bytes } of blocks) {
    if (bytes > room) {
      groups.push([]);
      room = BYTES_PER_STATEMENT;
    }
    groups.at(-1)!.push(id);
    room -= bytes;
  }
  return groups;
}

/** Starts to read blocks. Their caller may end before, and then the error of a statement is that of its transaction. */
function readGroup<Column extends ContentColumn>(
  db: Snapshot,
  columns: readonly Column[],
  ids: readonly number[] = [],
): Promise<readonly Block<Column>[]> {
  if (ids.length === 0) return Promise.resolve([]);
  const content = Object.fromEntries(columns.map((column) => [column, "bytes"])) as Record<Column, "bytes">;
  const blocks = db.copy(
    { id: "bigint", ...content },
    `SELECT id, ${columns.join(", ")} FROM search_blocks WHERE id = ANY(?::bigint[]) ORDER BY id`,
    ids,
  );
  blocks.catch(() => {});
  return blocks as Promise<readonly Block<Column>[]>;
}
