import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { inList } from "./range.js";
import type { UploadRow } from "./row-types.js";

export type UploadRecord = CamelCase<UploadRow>;

/** A stored upload; `sha256` is `null` if unknown. */
export type StoredUpload = Pick<UploadRecord, "seq" | "key" | "fileSize" | "sha256">;

type UploadKey = { readonly key: string };
/** A client's claim on an upload, identified by the time at which the claim expires. */
type UploadClaim = UploadKey & { readonly claimedUntil: number };

/** A file to be uploaded. */
export interface NewUpload {
  readonly key: string;
  readonly fileName: string;
  readonly contentType: string;
  /** In bytes, as declared by the client. */
  readonly fileSize: number;
  /** In hex, as declared by the client; `null` if it wasn't. */
  readonly sha256: string | null;
}

export function* createUploads(
  tx: Tx,
  creation: { namespaceId: string; uploads: readonly NewUpload[]; now: number; expiresAt: number },
): Operation<void> {
  const { namespaceId, uploads, now, expiresAt } = creation;
  for (const { key, fileName, contentType, fileSize, sha256 } of uploads) {
    yield* tx.exec(
      `INSERT INTO uploads (key, namespace_id, file_name, content_type, file_size, sha256, state, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?)`,
      ...[key, namespaceId, fileName, contentType, fileSize, sha256, now, expiresAt],
    );
  }
}

export function* getUpload(tx: Tx, { key }: UploadKey): Operation<UploadRecord | undefined> {
  return camelCase(yield* tx.get<UploadRow>("SELECT * FROM uploads WHERE key = ?", key));
}

/** Returns an upload and its organization; `undefined` if there is no such upload or its namespace has been deleted. */
export function* getUploadWithOrganization(
  tx: Tx,
  { key }: UploadKey,
): Operation<(UploadRecord & { readonly organizationId: string }) | undefined> {
  const row = yield* tx.get<UploadRow & { organization_id: string }>(
    `SELECT u.*, n.organization_id FROM uploads u JOIN namespaces n ON n.id = u.namespace_id
     WHERE u.key = ? AND n.deleted_at IS NULL`,
    key,
  );
  return camelCase(row);
}

/**
 * Claims an upload for one client until a time, which identifies the claim. Returns false if the upload is stored,
 * claimed by another client or gone.
 */
export function* claimUpload(
  tx: Tx,
  { key, now, claimedUntil }: UploadClaim & { readonly now: number },
): Operation<boolean> {
  const claimed = yield* tx.run(
    `UPDATE uploads SET state = 'receiving', receiving_until = ?
     WHERE key = ? AND (state = 'pending' OR (state = 'receiving' AND receiving_until < ?))`,
    ...[claimedUntil, key, now],
  );
  return claimed === 1;
}

/** Records that an upload is stored. Returns false if another client has claimed the upload, or the upload is gone. */
export function* finishUpload(
  tx: Tx,
  { key, claimedUntil, ...stored }: UploadClaim & { fileSize: number; sha256: string },
): Operation<boolean> {
  const finished = yield* tx.run(
    `UPDATE uploads SET state = 'stored', file_size = ?, sha256 = ?, receiving_until = NULL
     WHERE key = ? AND receiving_until = ?`,
    ...[stored.fileSize, stored.sha256, key, claimedUntil],
  );
  return finished === 1;
}

/** Releases a claim, so that another client can upload the file. */
export function* releaseUpload(tx: Tx, { key, claimedUntil }: UploadClaim): Operation<void> {
  yield* tx.exec(
    "UPDATE uploads SET state = 'pending', receiving_until = NULL WHERE key = ? AND receiving_until = ?",
    key,
    claimedUntil,
  );
}

/** Returns which of the given uploads are pending in a namespace. */
export function* listPendingUploads(
  tx: Tx,
  { namespaceId, keys }: { readonly namespaceId: string; readonly keys: readonly string[] },
): Operation<readonly Pick<UploadRecord, "key" | "fileSize" | "sha256">[]> {
  const [sql, ...parameters] = inList("key", keys)!;
  return yield* tx.all<Pick<UploadRecord, "key" | "fileSize" | "sha256">>(
    `SELECT key, file_size AS "fileSize", sha256 FROM uploads WHERE namespace_id = ? AND state = 'pending' AND ${sql}`,
    namespaceId,
    ...parameters,
  );
}

/** Records that a client has stored an upload directly in the blob store. */
export function* confirmUpload(tx: Tx, { key }: UploadKey): Operation<void> {
  // An upload that is being removed is also `pending`, with `expires_at` = 0.
  yield* tx.exec("UPDATE uploads SET state = 'stored' WHERE key = ? AND state = 'pending' AND expires_at > 0", key);
}

/** Returns the SHA-256 of each given upload, in hex; `null` if unknown. */
export function* listUploadHashes(
  tx: Tx,
  { keys }: { readonly keys: readonly string[] },
): Operation<readonly Pick<UploadRecord, "key" | "sha256">[]> {
  const [sql, ...parameters] = inList("key", keys)!;
  return yield* tx.all<Pick<UploadRecord, "key" | "sha256">>(
    `SELECT key, sha256 FROM uploads WHERE ${sql}`,
    ...parameters,
  );
}

export function* listUploadsOfNamespace(
  tx: Tx,
  { namespaceId }: { readonly namespaceId: string },
): Operation<readonly UploadKey[]> {
  return yield* tx.all<UploadKey>("SELECT key FROM uploads WHERE namespace_id = ?", namespaceId);
}

/** Lists up to `limit` stored uploads of all namespaces, after a sequence number. */
export function* listStoredUploads(
  tx: Tx,
  { after, limit }: { readonly after: number; readonly limit: number },
): Operation<readonly StoredUpload[]> {
  return yield* tx.all<StoredUpload>(
    `SELECT seq, key, file_size AS "fileSize", sha256 FROM uploads WHERE state = 'stored' AND seq > ?
     ORDER BY seq LIMIT ?`,
    ...[after, limit],
  );
}

/** Lists expired uploads that neither a document uses, nor a job that hasn't created its documents yet. */
export function* listExpiredUploads(tx: Tx, { now }: { readonly now: number }): Operation<readonly UploadKey[]> {
  return yield* tx.all<UploadKey>(
    `SELECT u.key FROM uploads u WHERE u.expires_at < ?
     AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.source_key = u.key)
     AND NOT EXISTS (SELECT 1 FROM ingest_jobs j JOIN ingest_job_payloads p ON p.ingest_job_seq = j.seq
       WHERE j.namespace_id = u.namespace_id AND j.documents_known = 0 AND replace(p.payload, u.key, '') <> p.payload)`,
    now,
  );
}
