import type { IndexValue } from "./index-database.js";
import type { Snapshot } from "./snapshot.js";

/** A statement reads so many bytes, or one block: the server ends a statement that takes longer than its time limit. */
const BYTES_PER_STATEMENT = 8 * 1024 * 1024;

/** The columns of a block that are as large as its content. */
interface BlockContent {
  readonly words: Uint8Array;
  readonly positions: Uint8Array;
  readonly records: Uint8Array;
}

/** Reads columns of the blocks that meet a condition, in the order of their ids, however many there are. */
export async function* readBlocks<Column extends keyof BlockContent>(
  db: Snapshot,
  columns: readonly Column[],
  condition: string,
  ...parameters: readonly IndexValue[]
): AsyncGenerator<Pick<BlockContent, Column> & { readonly id: number }> {
  const sizes = await db.rows<{ id: number; bytes: number }>(
    `SELECT id, ${columns.map((column) => `octet_length(${column})`).join(" + ")} AS bytes
     FROM search_blocks WHERE ${condition} ORDER BY id`,
    ...parameters,
  );
  for (let from = 0; from < sizes.length; ) {
    let to = from;
    for (let bytes = 0; to < sizes.length; to++) {
      bytes += sizes[to]!.bytes;
      if (to > from && bytes > BYTES_PER_STATEMENT) break;
    }
    yield* await db.rows<Pick<BlockContent, Column> & { readonly id: number }>(
      `SELECT id, ${columns.join(", ")} FROM search_blocks WHERE id = ANY(?::bigint[]) ORDER BY id`,
      sizes.slice(from, to).map(({ id }) => id),
    );
    from = to;
  }
}
