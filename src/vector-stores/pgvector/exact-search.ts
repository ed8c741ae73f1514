import type { VectorMatch } from "../../interfaces/vector-store.js";
import { Parameters } from "./filter-to-sql.js";
import { matchingRows, type NearestSearch, toVectorText } from "./nearest-search.js";
import { inTransaction, type Session } from "./sessions.js";
import { TABLE } from "./table.js";

/** Compares all rows that match. Everything has distance 0 to a zero vector. */
export async function searchExactly(session: Session, search: NearestSearch): Promise<readonly VectorMatch[]> {
  const { direction, topK } = search;
  const parameters = new Parameters();
  const rows = matchingRows(search, parameters);
  const distance =
    direction === null ? "0::float8" : `embedding <#> ${parameters.add(toVectorText(direction))}::vector`;
  const nearest = `SELECT id, ${distance} AS distance FROM ${TABLE} WHERE ${rows}
    ORDER BY distance, id LIMIT ${parameters.add(topK)}::bigint`;
  const found = await inTransaction(session, () => session.query<DistantRow>(nearest, parameters.values));
  return found.map(toMatch);
}

/** A row with its negative inner product. */
export interface DistantRow {
  readonly id: string;
  readonly distance: number;
}

export function toMatch({ id, distance }: DistantRow): VectorMatch {
  // Sums of 32-bit floats may exceed 1 a little.
  return { id, similarity: Math.min(1, Math.max(-1, 0 - distance)) };
}
