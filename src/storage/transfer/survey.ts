import { createHash } from "node:crypto";
import type { Metadata, Scope } from "../../types.js";
import { bytesToVector } from "../../util/float32-bytes.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { COUNTED_TABLES, TRANSFER_TABLES } from "./tables.js";

/** What a knowledge base contains. */
export interface Survey {
  readonly rows: ReadonlyMap<string, number>;
  /** Identifies the knowledge base in its present state: the numbers of rows, the last of each, and of changes. */
  readonly fingerprint: string;
}

/** Counts the rows of each table. */
export function* survey(tx: Tx): Operation<Survey> {
  const hash = createHash("sha256");
  const rows = new Map<string, number>();
  for (const { name, key } of [...TRANSFER_TABLES, ...COUNTED_TABLES]) {
    const [column] = key;
    const found = (yield* tx.get<{ rows: number; last: string | null }>(
      `SELECT count(*) AS rows, cast(max(${column}) AS TEXT) AS last FROM ${name}`,
    ))!;
    rows.set(name, found.rows);
    hash.update(JSON.stringify([name, found.rows, found.last]));
  }
  const ids = yield* tx.all<{ id: string }>("SELECT id FROM namespaces ORDER BY seq LIMIT 1000");
  const { epochs } = (yield* tx.get<{ epochs: number | null }>("SELECT sum(epoch) AS epochs FROM scopes"))!;
  hash.update(JSON.stringify([ids, epochs]));
  return { rows, fingerprint: hash.digest("hex") };
}

/** The file of a completed upload. */
export interface StoredFile {
  readonly seq: number;
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** In hex; `null` if unknown. */
  readonly sha256: string | null;
}

/** Lists the files of completed uploads, up to `limit` after a sequence number. */
export function* listStoredFiles(
  tx: Tx,
  { after, limit }: { readonly after: number; readonly limit: number },
): Operation<readonly StoredFile[]> {
  return yield* tx.all<StoredFile>(
    "SELECT seq, key, file_size AS size, sha256 FROM uploads WHERE state = 'stored' AND seq > ? ORDER BY seq LIMIT ?",
    after,
    limit,
  );
}

export function* countStoredFiles(tx: Tx): Operation<number> {
  return (yield* tx.get<{ files: number }>("SELECT count(*) AS files FROM uploads WHERE state = 'stored'"))!.files;
}

/** A published chunk with what finds it. */
export interface SampledChunk {
  readonly scope: Scope;
  readonly text: string;
  readonly metadata: Metadata;
  /** `null` if an external store has the vector. */
  readonly vector: Float32Array | null;
  /** The set of vectors that searches use. */
  readonly vectorSet: number;
}

/** Returns up to `count` published chunks from the whole range of chunks. */
export function* sampleChunks(tx: Tx, { count }: { readonly count: number }): Operation<readonly SampledChunk[]> {
  const { first, last } = (yield* tx.get<{ first: number | null; last: number | null }>(
    "SELECT min(seq) AS first, max(seq) AS last FROM chunks",
  ))!;
  if (first === null || last === null) return [];
  const sample = new Map<number, SampledChunk>();
  for (let index = 0; index < count; index++) {
    const chunk = yield* tx.get<SampledRow>(
      `SELECT c.seq, c.text, c.metadata, n.organization_id, n.id AS namespace_id, s.tenant_id, s.vector_set,
         CASE WHEN s.vector_set % 2 = 0 THEN v.vector ELSE o.vector END AS vector
       FROM chunks c
       JOIN documents d ON d.seq = c.document_seq AND d.generation = c.generation
       JOIN scopes s ON s.id = c.scope_id JOIN namespaces n ON n.id = s.namespace_id
       LEFT JOIN vectors v ON v.chunk_seq = c.seq LEFT JOIN odd_vectors o ON o.chunk_seq = c.seq
       WHERE c.seq >= ? ORDER BY c.seq LIMIT 1`,
      first + Math.floor(((last - first) * index) / count),
    );
    if (chunk) sample.set(chunk.seq, toSample(chunk));
  }
  return [...sample.values()];
}

interface SampledRow {
  readonly seq: number;
  readonly text: string;
  readonly metadata: string;
  readonly organization_id: string;
  readonly namespace_id: string;
  readonly tenant_id: string | null;
  readonly vector_set: number;
  readonly vector: Uint8Array | null;
}

function toSample({ text, metadata, vector, ...row }: SampledRow): SampledChunk {
  return {
    scope: { organizationId: row.organization_id, namespaceId: row.namespace_id, tenantId: row.tenant_id },
    text,
    metadata: JSON.parse(metadata),
    vector: vector && bytesToVector(vector).slice(),
    vectorSet: row.vector_set,
  };
}
