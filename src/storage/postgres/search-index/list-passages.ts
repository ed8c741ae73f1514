import { comparedValue, type OrderPart, partsOf, positionValue } from "../../passage-order.js";
import type { ListedPassages, ListPosition, PassagesQuery } from "../../search-index.js";
import { type IndexFragment, visibilityToSql } from "./filter-sql.js";
import { decodedValue, indexedBytes } from "./metadata-encoding.js";
import { publishedChunks } from "./passages.js";
import type { ScopeCaches } from "./scope-caches.js";
import { findScope, type SearchedScope } from "./searched-scope.js";
import type { Snapshot } from "./snapshot.js";

interface Row {
  readonly chunkSeq: number;
  readonly value: Uint8Array | null;
  readonly documentSeq: number;
  readonly ordinal: number;
}

/** A chunk in the order. */
interface PlacedChunk extends ListPosition {
  readonly chunkSeq: number;
}

/** Lists published chunks in the order of a metadata key or of their documents. */
export async function listPassages(db: Snapshot, caches: ScopeCaches, query: PassagesQuery): Promise<ListedPassages> {
  const searched = await findScope(db, query.scope);
  if (!searched) return { passages: [], next: null, total: query.withTotal ? 0 : null };
  const placed: PlacedChunk[] = [];
  for (const part of partsOf(query)) {
    // One more than the page has says whether others follow.
    const missing = query.limit + 1 - placed.length;
    if (missing > 0) placed.push(...(await readPart(db, caches, searched, query, part, missing)));
  }
  const shown = placed.slice(0, query.limit);
  const chunkSeqs = shown.map(({ chunkSeq }) => chunkSeq);
  const chunks = await publishedChunks(db, chunkSeqs, true);
  return {
    passages: chunks.map(({ passage }) => passage!),
    next: placed.length > query.limit ? (shown.at(-1) ?? null) : null,
    total: query.withTotal ? await countPassages(db, caches, searched, query) : null,
  };
}

/** Returns the first chunks of a part of the order. */
async function readPart(
  db: Snapshot,
  caches: ScopeCaches,
  searched: SearchedScope,
  query: PassagesQuery,
  part: OrderPart,
  limit: number,
): Promise<readonly PlacedChunk[]> {
  const listed = await partSql(db, caches, searched, query, part);
  if (listed === null) return [];
  const { kind, after } = part;
  const [direction, past] = query.order === "asc" ? (["ASC", ">"] as const) : (["DESC", "<"] as const);
  const isPast = after && pastSql(past, after);
  const values = kind === null ? "" : `m.value ${direction}, coalesce(m.value_rest, '') ${direction}, `;
  const rows = await db.rows<Row>(
    `SELECT c.seq AS "chunkSeq", ${kind === null ? "NULL" : "m.value || coalesce(m.value_rest, '')"} AS value,
       d.seq AS "documentSeq", c.ordinal
     FROM ${listed.sql}${isPast ? ` AND ${isPast.sql}` : ""}
     ORDER BY ${values}d.seq ${direction}, c.ordinal LIMIT ?`,
    ...[...listed.parameters, ...(isPast?.parameters ?? []), limit],
  );
  return rows.map(({ value, ...row }) => {
    return { ...row, value: positionValue(kind, kind === null || value === null ? null : decodedValue(kind, value)) };
  });
}

/** Returns the number of passages on all pages. */
async function countPassages(
  db: Snapshot,
  caches: ScopeCaches,
  searched: SearchedScope,
  query: PassagesQuery,
): Promise<number> {
  const listed = await partSql(db, caches, searched, query, { kind: null, filter: query.filter });
  if (listed === null) return 0;
  const [row] = await db.rows<{ total: number }>(`SELECT count(*) AS total FROM ${listed.sql}`, ...listed.parameters);
  return row!.total;
}

/** Returns the tables and the conditions that yield the chunks of a part of the order; `null` if no chunk matches. */
async function partSql(
  db: Snapshot,
  caches: ScopeCaches,
  searched: SearchedScope,
  { scope, key, onePerDocument }: PassagesQuery,
  { kind, filter }: Pick<OrderPart, "kind" | "filter">,
): Promise<IndexFragment | null> {
  const chunks = filter && (await caches.filtered.list(db, searched, scope, filter));
  if (chunks?.length === 0) return null;
  const matches = chunks ? [Array.from(chunks)] : [];
  const among = (column: string) => (chunks ? ` AND ${column} = ANY(?::bigint[])` : "");
  const visible = visibilityToSql(scope);
  const tenant = scope.tenantId === null ? "IS NULL" : "= ?";
  const inDocuments = ` AND d.namespace_id = ? AND d.tenant_id ${tenant} AND ${visible.sql}`;
  const documents = [scope.namespaceId, ...(scope.tenantId === null ? [] : [scope.tenantId]), ...visible.parameters];
  const first = onePerDocument
    ? ` AND NOT EXISTS (SELECT 1 FROM chunks e WHERE e.document_seq = c.document_seq AND e.generation = c.generation
         AND e.ordinal < c.ordinal${among("e.seq")})`
    : "";
  const firsts = onePerDocument ? matches : [];
  const published = "documents d JOIN chunks c ON c.document_seq = d.seq AND c.generation = d.generation";
  if (kind === null)
    return {
      sql: `${published} WHERE true${inDocuments}${among("c.seq")}${first}`,
      parameters: [...documents, ...matches, ...firsts],
    };
  const { start, rest } = indexedBytes(key!);
  return {
    sql: `${published} JOIN chunk_metadata m ON m.chunk_seq = c.seq
      WHERE m.scope_id = ? AND m.key = ?::bytea AND m.key_rest IS NOT DISTINCT FROM ?::bytea AND m.kind = '${kind}'
        ${among("m.chunk_seq")}${inDocuments}${first}`,
    parameters: [searched.id, start, rest, ...matches, ...documents, ...firsts],
  };
}

/** Returns the condition that a chunk comes after a place in the same part. */
function pastSql(past: ">" | "<", { value, documentSeq, ordinal }: ListPosition): IndexFragment {
  const sql = `(d.seq ${past} ? OR (d.seq = ? AND c.ordinal > ?))`;
  const parameters = [documentSeq, documentSeq, ordinal];
  // The index is searched by the first comparison.
  if (value === null) return { sql: `d.seq ${past}= ? AND ${sql}`, parameters: [documentSeq, ...parameters] };
  const { start, rest } = indexedBytes(comparedValue(value));
  const end = rest ?? new Uint8Array(0);
  // If the starts are equal, the rests decide, of which an absent one is the least.
  const ownRest = "coalesce(m.value_rest, '')";
  return {
    sql: `m.value ${past}= ?::bytea AND (m.value ${past} ?::bytea OR ${ownRest} ${past} ?::bytea
      OR (${ownRest} = ?::bytea AND ${sql}))`,
    parameters: [start, start, end, end, ...parameters],
  };
}
