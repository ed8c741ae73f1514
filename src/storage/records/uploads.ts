import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { among } from "./range.js";
import type { UploadRow } from "./row-types.js";

export type UploadRecord = CamelCase<UploadRow>;

type Key = { readonly key: string };

/** A file to be uploaded. */
export interface AnnouncedUpload {
  readonly key: string;
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly fileSize: number;
}

export function* announceUploads(
  tx: Tx,
  announced: { namespaceId: string; uploads: readonly AnnouncedUpload[]; now: number; expiresAt: number },
): Operation<void> {
  const { namespaceId, uploads, now, expiresAt } = announced;
  for (const { key, fileName, contentType, fileSize } of uploads) {
    yield* tx.run(
      `INSERT INTO uploads (key, namespace_id, file_name, content_type, file_size, state, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, 'pending', ?, ?)`,
      ...[key, namespaceId, fileName, contentType, fileSize, now, expiresAt],
    );
  }
}

export function* getUpload(tx: Tx, { key }: Key): Operation<UploadRecord | undefined> {
  return camelCase(yield* tx.get<UploadRow>("SELECT * FROM uploads WHERE key = ?", key));
}

/** An upload with its organization; `undefined` also if its namespace has been deleted. */
export function* announcedUpload(
  tx: Tx,
  { key }: Key,
): Operation<(UploadRecord & { readonly organizationId: string }) | undefined> {
  const row = yield* tx.get<UploadRow & { organization_id: string }>(
    `SELECT u.*, n.organization_id FROM uploads u JOIN namespaces n ON n.id = u.namespace_id
     WHERE u.key = ? AND n.deleted_at IS NULL`,
    key,
  );
  return camelCase(row);
}

/**
 * Claims an upload for one sender until a time, which identifies the claim. Returns false if it is stored, or claimed
 * by another sender.
 */
export function* claimUpload(
  tx: Tx,
  { key, now, until }: Key & { readonly now: number; readonly until: number },
): Operation<boolean> {
  const claimed = yield* tx.run(
    `UPDATE uploads SET state = 'receiving', receiving_until = ?
     WHERE key = ? AND (state = 'pending' OR (state = 'receiving' AND receiving_until < ?))`,
    ...[until, key, now],
  );
  return claimed === 1;
}

/** Records that the bytes are stored; returns false if the claim has expired or the record is gone. */
export function* finishUpload(
  tx: Tx,
  { key, until, ...stored }: Key & { until: number; fileSize: number; sha256: string },
): Operation<boolean> {
  const finished = yield* tx.run(
    `UPDATE uploads SET state = 'stored', file_size = ?, sha256 = ?, receiving_until = NULL
     WHERE key = ? AND receiving_until = ?`,
    ...[stored.fileSize, stored.sha256, key, until],
  );
  return finished === 1;
}

/** Releases a claim, so that another sender may try. */
export function* releaseUpload(tx: Tx, { key, until }: Key & { readonly until: number }): Operation<void> {
  yield* tx.run(
    "UPDATE uploads SET state = 'pending', receiving_until = NULL WHERE key = ? AND receiving_until = ?",
    key,
    until,
  );
}

/** The pending uploads of a namespace. */
export function* pendingUploads(
  tx: Tx,
  { namespaceId, keys }: { readonly namespaceId: string; readonly keys: readonly string[] },
): Operation<readonly Pick<UploadRecord, "key" | "fileSize">[]> {
  const [sql, ...parameters] = among("key", keys)!;
  return yield* tx.all<Pick<UploadRecord, "key" | "fileSize">>(
    `SELECT key, file_size AS "fileSize" FROM uploads WHERE namespace_id = ? AND state = 'pending' AND ${sql}`,
    namespaceId,
    ...parameters,
  );
}

/** Records that a sender has stored the bytes directly in the blob store. */
export function* confirmUpload(tx: Tx, { key }: Key): Operation<void> {
  // An upload being removed is pending, too, and expired at 0.
  yield* tx.run("UPDATE uploads SET state = 'stored' WHERE key = ? AND state = 'pending' AND expires_at > 0", key);
}

/** SHA-256 of stored uploads, in hex. */
export function* uploadHashes(
  tx: Tx,
  { keys }: { readonly keys: readonly string[] },
): Operation<readonly Pick<UploadRecord, "key" | "sha256">[]> {
  const [sql, ...parameters] = among("key", keys)!;
  return yield* tx.all<Pick<UploadRecord, "key" | "sha256">>(
    `SELECT key, sha256 FROM uploads WHERE ${sql}`,
    ...parameters,
  );
}

export function* uploadsOfNamespace(
  tx: Tx,
  { namespaceId }: { readonly namespaceId: string },
): Operation<readonly Key[]> {
  return yield* tx.all<Key>("SELECT key FROM uploads WHERE namespace_id = ?", namespaceId);
}

/** Uploads that no document uses, nor a job that has not created its documents yet. */
export function* expiredUploads(tx: Tx, { now }: { readonly now: number }): Operation<readonly Key[]> {
  return yield* tx.all<Key>(
    `SELECT u.key FROM uploads u WHERE u.expires_at < ?
     AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.source_key = u.key)
     AND NOT EXISTS (SELECT 1 FROM ingest_jobs j JOIN ingest_job_payloads p ON p.ingest_job_seq = j.seq
       WHERE j.namespace_id = u.namespace_id AND j.documents_known = 0 AND replace(p.payload, u.key, '') <> p.payload)`,
    now,
  );
}
