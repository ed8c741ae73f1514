import { createHash } from "node:crypto";
import { parseSource } from "../../domain/parse-source.js";
import { textsHash } from "../content-hash.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

// The text of a TEXT document is stored in its job's payload and as the document's source. If one is damaged, the other
// has it.

/** Restores the source of a document from its job's payload. Returns false if the payload doesn't have it. */
export function* restoreSource(tx: Tx, { seq }: { readonly seq: number }): Operation<boolean> {
  const row = yield* tx.get<{ item: number; contentHash: string | null; payload: string }>(
    `SELECT d.item, d.content_hash AS "contentHash", p.payload FROM documents d JOIN ingest_jobs j ON j.id = d.ingest_job_id
     JOIN ingest_job_payloads p ON p.ingest_job_seq = j.seq WHERE d.seq = ?`,
    seq,
  );
  const text = row && itemsOf(row.payload)?.items[row.item]?.text;
  if (text === undefined || sha256Of(text) !== row?.contentHash) return false;
  yield* tx.exec(
    "UPDATE document_sources SET source = ? WHERE document_seq = ?",
    JSON.stringify({ type: "TEXT", text }),
    seq,
  );
  return true;
}

/** Restores the payload of a job from its documents' sources. Returns false if that doesn't give what was written. */
export function* restorePayload(tx: Tx, { seq }: { readonly seq: number }): Operation<boolean> {
  const row = yield* tx.get<{ payload: string; sourcePaths: string | null; hash: number }>(
    'SELECT payload, source_paths AS "sourcePaths", hash FROM ingest_job_payloads WHERE ingest_job_seq = ?',
    seq,
  );
  const parsed = row && itemsOf(row.payload);
  if (!parsed) return false;
  const documents = yield* tx.all<{ item: number; contentHash: string | null; source: string }>(
    `SELECT d.item, d.content_hash AS "contentHash", s.source FROM documents d
     JOIN document_sources s ON s.document_seq = d.seq JOIN ingest_jobs j ON j.id = d.ingest_job_id WHERE j.seq = ?`,
    seq,
  );
  for (const { item, contentHash, source } of documents) {
    const stored = parseSource(source);
    const target = parsed.items[item];
    if (target?.text === undefined || stored.type !== "TEXT" || sha256Of(stored.text) !== contentHash) continue;
    target.text = stored.text;
  }
  const payload = JSON.stringify(parsed.payload);
  if (textsHash([payload, row.sourcePaths]) !== row.hash) return false;
  yield* tx.exec("UPDATE ingest_job_payloads SET payload = ? WHERE ingest_job_seq = ?", payload, seq);
  return true;
}

/** A payload, or one of its items, of any type. */
interface PayloadItem {
  text?: string;
}

interface ParsedPayload {
  readonly payload: unknown;
  /** The items of the payload, which share its objects. */
  readonly items: readonly PayloadItem[];
}

function itemsOf(json: string): ParsedPayload | null {
  try {
    const payload = JSON.parse(json) as PayloadItem & { readonly items?: readonly PayloadItem[] };
    return { payload, items: payload.items ?? [payload] };
  } catch {
    return null;
  }
}

function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
