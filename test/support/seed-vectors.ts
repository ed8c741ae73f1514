import { metadataRows } from "#dist/storage/metadata-rows.js";
import { ENGINE_KEYS } from "#dist/validation/metadata-schema.js";
import type { VectorRecord } from "../../src/interfaces/vector-store.js";
import type { Metadata, Scope } from "../../src/types.js";
import { type SqlStatement, writeDatabase } from "./database.js";

/** Puts into a database what the engine would have there before vectors come: documents with a published generation, and chunks. */
export async function seedVectors(directory: string, scope: Scope, records: readonly VectorRecord[]): Promise<void> {
  const { organizationId, namespaceId, tenantId } = scope;
  const jobId = `job_${namespaceId}_${tenantId}`;
  const SCOPE = "(SELECT id FROM scopes WHERE namespace_id = ? AND coalesce(tenant_id, '') = coalesce(?, ''))";
  const statements: SqlStatement[] = [
    {
      sql: "INSERT OR IGNORE INTO organizations (id, name, created_at) VALUES (?, 'Owner', 0)",
      parameters: [organizationId],
    },
    {
      sql: `INSERT OR IGNORE INTO namespaces (id, organization_id, name, slug, slug_key, embedding_config, vector_store_config, created_at)
        VALUES (?, ?, 'Space', ?, ?, '{}', '{}', 0)`,
      parameters: [namespaceId, organizationId, namespaceId, namespaceId],
    },
    {
      sql: "INSERT OR IGNORE INTO scopes (namespace_id, tenant_id) VALUES (?, ?)",
      parameters: [namespaceId, tenantId],
    },
    {
      sql: `INSERT OR IGNORE INTO ingest_jobs (id, namespace_id, tenant_id, status, config, created_at)
        VALUES (?, ?, ?, 'COMPLETED', '{}', 0)`,
      parameters: [jobId, namespaceId, tenantId],
    },
  ];
  for (const { documentId, generation, id, metadata } of records) {
    const ordinal = Number(id.slice(id.lastIndexOf(".") + 1));
    statements.push(
      {
        sql: `INSERT INTO documents (id, ingest_job_id, namespace_id, tenant_id, scope_id, item, status, config, file_size,
            mime_type, generation, created_at)
          SELECT ?, ?, ?, ?, ${SCOPE}, (SELECT count(*) FROM documents), 'COMPLETED', '{}', 0, '', ?, 0 WHERE 1
          ON CONFLICT (id) DO UPDATE SET generation = max(generation, excluded.generation)`,
        parameters: [documentId, jobId, namespaceId, tenantId, namespaceId, tenantId, generation],
      },
      {
        sql: `INSERT OR IGNORE INTO chunks (scope_id, document_seq, generation, ordinal, text, headings, metadata, tokens, start_offset,
            end_offset, stemming) SELECT scope_id, seq, ?, ?, '', '[]', '{}', 0, 0, 0, 1 FROM documents WHERE id = ?`,
        parameters: [generation, ordinal, documentId],
      },
      ...metadataRows(withoutEngineKeys(metadata), []).map(({ key, kind, value }) => ({
        sql: `INSERT OR IGNORE INTO chunk_metadata (scope_id, key, kind, value, chunk_seq)
          SELECT c.scope_id, ?, ?, ?, c.seq FROM chunks c JOIN documents d ON d.seq = c.document_seq
          WHERE d.id = ? AND c.generation = ? AND c.ordinal = ?`,
        parameters: [key, kind, value, documentId, generation, ordinal],
      })),
    );
  }
  writeDatabase(directory, statements);
}

/** Those keys are columns. */
function withoutEngineKeys(metadata: Metadata): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !ENGINE_KEYS.includes(key)));
}
