import type { Engine } from "../engine/engine.js";
import { publicChunk } from "../engine/public-chunk.js";
import { reportDamagedChunks } from "../engine/report-damage.js";
import { type Filter, type FilterNode, type FilterScalar, parseFilter } from "../filter.js";
import { decodeCursor, encodeCursor } from "../storage/pagination.js";
import type { ListPosition, SearchScope } from "../storage/search-index.js";
import type { Chunk, Metadata, ReadOptions } from "../types.js";
import { parseInput } from "../validation/parse-input.js";
import { passagesSchema } from "../validation/passages-schema.js";

export interface ListPassagesOptions<M = Metadata> extends ReadOptions {
  /** Conditions on metadata, as for a search. @default none */
  readonly filter?: Filter<M> | undefined;
  /**
   * - `{ key }`: by the value of a metadata key. In ascending order come `false`, `true`, numbers, strings by code point (so
   *   dates in ISO 8601 by time), and then lists, which are all equal. Passages without a value come last in either order.
   *   `documentId`, `page_number` and others that the engine computes are refused.
   * - `createdAt`: by the documents' creation.
   *
   * Passages with equal values are in the order in which their documents were created, in the direction of `order`, and in
   * the order of the text within a document.
   * @default "createdAt"
   */
  readonly orderBy?: "createdAt" | { readonly key: string } | undefined;
  /** @default "desc" */
  readonly order?: "asc" | "desc" | undefined;
  /** Whether to list only the first passage, in the order of the text, that matches the filter of each document. @default false */
  readonly onePerDocument?: boolean | undefined;
  /** Whether to count what is on all pages, in a time that grows with the number. @default false */
  readonly includeTotal?: boolean | undefined;
  /** `nextCursor` of the previous page, which was listed in the same order. @default the first page */
  readonly cursor?: string | undefined;
  /** Maximum number of passages on a page, 1 to 100. @default 30 */
  readonly perPage?: number | undefined;
}

/** A page of passages, as of one moment. */
export interface PassagePage<M = Metadata> {
  /** May be fewer than `perPage` before the last page, if stored passages are damaged. */
  readonly items: readonly Chunk<M>[];
  /**
   * The cursor of the next page; `null` on the last page. With it, the list goes on after the last passage of this page,
   * even if that has been removed. A passage that stays published with the same value is on exactly one page, also if its
   * document is ingested again meanwhile.
   */
  readonly nextCursor: string | null;
  /** The number of passages on all pages, exact at the moment of this page; absent unless `includeTotal`. */
  readonly total?: number;
}

/**
 * Lists the published passages of a scope without a query.
 * @throws KnowledgeBaseError `invalid_input`, also for the cursor of another order
 */
export async function listPassages<M>(
  engine: Engine,
  scope: SearchScope,
  { signal, ...options }: Omit<ListPassagesOptions<M>, "principals">,
): Promise<PassagePage<M>> {
  const input = parseInput(passagesSchema, options);
  const { orderBy, order, onePerDocument, cursor, perPage } = input;
  const filter = input.filter === undefined ? null : parseFilter(input.filter);
  const key = typeof orderBy === "string" ? null : orderBy.key;
  const list = `passages of ${scope.namespaceId} by ${key === null ? "createdAt" : JSON.stringify(key)}`;
  const after = cursor === undefined ? null : decodeCursor(list, order, cursor, (value) => toPosition(value, key));
  const query = { scope, filter, key, order, onePerDocument, after, limit: perPage, withTotal: input.includeTotal };
  const { passages, next, total } = await engine.storage.index.listPassages(query, { signal });
  await engine.filterKeys.check(scope, usedKeys(filter, key), passages.length, { signal });
  reportDamagedChunks(
    engine,
    passages.filter(({ isDamaged }) => isDamaged),
  );
  return {
    items: passages.filter(({ isDamaged }) => !isDamaged).map((passage) => publicChunk<M>(scope, passage)),
    nextCursor: next && encodeCursor(list, order, [next.value, next.documentSeq, next.ordinal]),
    ...(total === null ? {} : { total }),
  };
}

/** Returns a filter that uses the keys of a list, which has passages without the key that it is ordered by. */
function usedKeys(filter: FilterNode | null, key: string | null): FilterNode {
  const ordered: FilterNode[] = key === null ? [] : [{ op: "not", node: { op: "exists", key } }];
  return { op: "and", nodes: filter ? [filter, ...ordered] : ordered };
}

/** Returns the position that a cursor has; `null` if it is none in the order of the key. */
function toPosition(position: unknown, key: string | null): ListPosition | null {
  if (!Array.isArray(position) || position.length !== 3) return null;
  const [value, documentSeq, ordinal] = position;
  if (!Number.isSafeInteger(documentSeq) || !Number.isSafeInteger(ordinal)) return null;
  if (value !== null && (key === null || !isPositionValue(value))) return null;
  return { value, documentSeq, ordinal };
}

function isPositionValue(value: unknown): value is FilterScalar | readonly [] {
  if (Array.isArray(value)) return value.length === 0;
  return ["boolean", "number", "string"].includes(typeof value);
}
