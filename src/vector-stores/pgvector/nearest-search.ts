import type { FilterCondition } from "../hosted/filter-condition.js";
import { filterToSql, type Parameters } from "./filter-to-sql.js";

/** A search in one scope. */
export interface NearestSearch {
  /** The name of the scope: see `scopeName`. */
  readonly scope: string;
  readonly dimensions: number;
  /** The query vector with length 1; `null` if it is a zero vector. */
  readonly direction: readonly number[] | null;
  readonly topK: number;
  /** `null` if every vector of the scope matches. */
  readonly condition: FilterCondition | null;
}

/** The rows that a search chooses from, as a condition of SQL. */
export function matchingRows({ scope, dimensions, condition }: NearestSearch, parameters: Parameters): string {
  const filter = condition === null ? "true" : filterToSql(condition, parameters);
  // A literal, so that the planner sees that the index of these dimensions has the rows.
  return `scope = ${parameters.add(scope)} AND dimensions = ${Number(dimensions)} AND ${filter}`;
}

/** A vector as text that casts to `vector` and `halfvec`. */
export function toVectorText(direction: readonly number[]): string {
  return `[${direction.join(",")}]`;
}
