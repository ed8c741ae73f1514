import { sqlStateOf } from "../../util/sql-state.js";
import type { Session } from "./sessions.js";
import { TABLE } from "./table.js";

/** The most dimensions that an HNSW index of `halfvec` takes. */
export const MAX_INDEXED_DIMENSIONS = 4000;

/** An expression of SQL: whether the index is valid, or NULL if there is none. */
export function indexIsValid(dimensions: number): string {
  return `(SELECT indisvalid FROM pg_index JOIN pg_class c ON c.oid = indexrelid
    WHERE indrelid = '${TABLE}'::regclass AND c.relname = '${indexName(dimensions)}')`;
}

export function indexName(dimensions: number): string {
  return `${TABLE}_hnsw_${Number(dimensions)}`;
}

/**
 * Creates the index of the vectors with these dimensions, of all scopes, unless it exists. Returns false, and creates
 * nothing, while an index of the table is being built by another connection: PostgreSQL builds one at a time, and two
 * that run at once may end in a deadlock. An invalid index, left by a build that failed, is replaced. Reading and
 * writing go on meanwhile. There is no state of the session, since a pooler may run each statement on another one.
 */
export async function createHnswIndex(session: Session, dimensions: number): Promise<boolean> {
  const name = indexName(dimensions);
  const [found] = await session.query<{ readonly isValid: boolean | null; readonly isBuilding: boolean }>(
    `SELECT ${indexIsValid(dimensions)} AS "isValid", ${IS_BUILDING} AS "isBuilding"`,
  );
  const { isValid, isBuilding } = found!;
  if (isValid) return true;
  if (isBuilding) return false;
  if (isValid === false) await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  const vectors = `(embedding::halfvec(${Number(dimensions)})) halfvec_ip_ops`;
  try {
    await session.query(
      `CREATE INDEX CONCURRENTLY ${name} ON ${TABLE} USING hnsw (${vectors}) WHERE dimensions = ${Number(dimensions)}`,
    );
    return true;
  } catch (error) {
    // Another process has begun since the look at the builds.
    if (sqlStateOf(error) === DUPLICATE_TABLE) return false;
    throw error;
  }
}

/** The SQLSTATE for a relation, which an index is, whose name is taken. */
const DUPLICATE_TABLE = "42P07";

/** An expression of SQL. The table of a build is hidden from roles that are not members of the builder's. */
const IS_BUILDING = `EXISTS (SELECT FROM pg_stat_progress_create_index
  WHERE datname = current_database() AND (relid = '${TABLE}'::regclass OR relid IS NULL))`;
