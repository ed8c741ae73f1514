import { z } from "zod";
import { filterToSql } from "../filter-sql.js";
import type { Provider } from "../interfaces/provider.js";
import type { SqlConnection, SqlValue } from "../interfaces/sql-connection.js";
import type { VectorMatch, VectorStore } from "../interfaces/vector-store.js";
import type { Scope } from "../types.js";
import { toBlob } from "../vector-blob.js";

const PROVIDER = "MANAGED_SQLITE_VEC";
/** How far from 1 the length of a vector is that f32 holds as one of length 1. */
const ROUNDING = 1e-6;
const SCOPE_ID = "SELECT id FROM scopes WHERE namespace_id = ? AND coalesce(tenant_id, '') = ?";

/**
 * Vectors in the engine's own SQLite file, beside the chunks that they belong to: it keeps vectors of chunks that the database
 * already has, and filters by the database's own metadata index. Every search compares every vector that can match: exact.
 */
export function sqliteVecStore(connection: SqlConnection): VectorStore {
  return {
    provider: PROVIDER,

    async upsert(_scope, records, options) {
      const rows = records.map(({ documentId, generation, id, vector }): SqlValue[] => [
        toBlob(unit(vector)),
        documentId,
        generation,
        Number(id.slice(id.lastIndexOf(".") + 1)),
      ]);
      const sql = `INSERT OR REPLACE INTO vectors (chunk_seq, scope_id, document_seq, generation, vector)
        SELECT c.seq, c.scope_id, c.document_seq, c.generation, ? FROM documents d
        JOIN chunks c ON c.document_seq = d.seq WHERE d.id = ? AND c.generation = ? AND c.ordinal = ?`;
      await connection.write([{ sql, rows }], options);
    },

    async query(scope, query, options) {
      const [row] = await connection.read<{ id: number }>(
        { sql: SCOPE_ID, parameters: scopeParameters(scope) },
        options,
      );
      if (!row) return [];
      const condition = query.filter
        ? filterToSql(query.filter, { scope, scopeId: row.id, chunkSeq: "v.chunk_seq" })
        : null;
      // The distance to a vector of zeros is undefined; it resembles nothing, so it stands where a right angle does.
      const sql = `SELECT d.id || '.' || n.generation || '.' || c.ordinal AS id, 1 - n.distance AS similarity FROM (
          SELECT v.chunk_seq, v.document_seq, v.generation, coalesce(vec_distance_cosine(v.vector, ?), 1.0) AS distance
          FROM vectors v CROSS JOIN documents d ON d.seq = v.document_seq AND d.generation = v.generation
          WHERE v.scope_id = ?${condition ? ` AND ${condition.sql}` : ""} ORDER BY distance, v.chunk_seq LIMIT ?) n
        JOIN chunks c ON c.seq = n.chunk_seq JOIN documents d ON d.seq = n.document_seq ORDER BY n.distance, n.chunk_seq`;
      const parameters = [toBlob(unit(query.vector)), row.id, ...(condition?.parameters ?? []), query.topK];
      const rows = await connection.read<VectorMatch>({ sql, parameters }, options);
      return rows.map(({ id, similarity }) => ({ id, similarity: Math.min(1, Math.max(-1, similarity)) }));
    },

    async delete(scope, target, options) {
      const parameters: SqlValue[] = scopeParameters(scope);
      let condition = `scope_id IN (${SCOPE_ID})`;
      if (target !== "all") {
        // By way of the chunks: their index knows a document's, where the vectors' own index would read the whole scope.
        condition = `chunk_seq IN (SELECT c.seq FROM documents d JOIN chunks c ON c.document_seq = d.seq
          WHERE d.scope_id IN (${SCOPE_ID}) AND d.id = ?${target.generation === undefined ? "" : " AND c.generation = ?"})`;
        parameters.push(target.documentId);
        if (target.generation !== undefined) parameters.push(target.generation);
      }
      await connection.write([{ sql: `DELETE FROM vectors WHERE ${condition}`, parameters }], options);
    },
  };
}

const configSchema = z.strictObject({ provider: z.literal(PROVIDER) });

/** The embedded default: needs no account and no second service. */
export function sqliteVecProvider(connection: SqlConnection): Provider<z.infer<typeof configSchema>, VectorStore> {
  return { provider: PROVIDER, config: configSchema, create: async () => sqliteVecStore(connection) };
}

function scopeParameters(scope: Scope): SqlValue[] {
  return [scope.namespaceId, scope.tenantId ?? ""];
}

/**
 * A vector of length 1 in its direction, which is all that a cosine depends on: sqlite-vec sums squares in f32, where those of a very
 * short or a very long vector are zero or infinite.
 */
function unit(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return norm === 0 || Math.abs(norm - 1) < ROUNDING ? vector : vector.map((value) => value / norm);
}
