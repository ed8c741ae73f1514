import type { Session } from "./sessions.js";
import { LOCK_CLASS, TABLE } from "./table.js";

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
 * Creates the index of the vectors with these dimensions, of all scopes, unless it exists or another process is
 * creating it. An invalid index, left by a build that failed, is replaced. Reading and writing go on meanwhile.
 */
export async function createHnswIndex(session: Session, dimensions: number): Promise<void> {
  const lock = `${LOCK_CLASS}, ${Number(dimensions)}`;
  const [taken] = await session.query<{ readonly locked: boolean }>(`SELECT pg_try_advisory_lock(${lock}) AS locked`);
  if (!taken!.locked) return;
  try {
    const name = indexName(dimensions);
    const [index] = await session.query<{ readonly isValid: boolean | null }>(
      `SELECT ${indexIsValid(dimensions)} AS "isValid"`,
    );
    if (index!.isValid) return;
    // Settings of the role for its usual statements, which take less time.
    await session.query("SET statement_timeout = 0");
    await session.query("SET lock_timeout = 0");
    if (index!.isValid === false) await session.query(`DROP INDEX CONCURRENTLY ${name}`);
    const vectors = `(embedding::halfvec(${Number(dimensions)})) halfvec_ip_ops`;
    await session.query(
      `CREATE INDEX CONCURRENTLY ${name} ON ${TABLE} USING hnsw (${vectors}) WHERE dimensions = ${Number(dimensions)}`,
    );
  } finally {
    await session.query(`SELECT pg_advisory_unlock(${lock})`).catch(() => {});
  }
}
