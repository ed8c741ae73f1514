import type { IngestConfig } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Dialect, Tx } from "../tx.js";
import { lockDocuments } from "./locked-documents.js";
import { notFound } from "./not-found.js";
import type { Condition } from "./range.js";

/** Returns the principals that an ingest config allows, as JSON; `null` if it allows all. */
export function allowOf(config: string): string | null {
  const { allow } = JSON.parse(config) as IngestConfig;
  return allow ? JSON.stringify(allow) : null;
}

/** Returns an ingest config that allows the given principals. */
export function withAllow(config: string, allow: string | null): string {
  if (allowOf(config) === allow) return config;
  const { allow: _, ...rest } = JSON.parse(config) as IngestConfig;
  return JSON.stringify(allow === null ? rest : { ...rest, allow: JSON.parse(allow) });
}

/** Returns SQL for what {@link allowOf} returns for the config of a document's row. */
export function allowSql(dialect: Dialect): string {
  return dialect.jsonField("config", "allow");
}

/** Returns the condition that principals may see a document; `null` for the owner, who sees all documents. */
export function isVisibleTo(dialect: Dialect, principals: readonly string[] | null): Condition | null {
  if (principals === null) return null;
  return [`(allow IS NULL OR ${dialect.sharesJsonElement("allow")})`, JSON.stringify(principals)];
}

interface AccessRow {
  readonly seq: number;
  readonly scope_id: number;
  readonly generation: number;
  readonly allow: string | null;
}

/**
 * Restricts a document that is queued with new content to the principals that may see both its published and its new
 * content. Publishing the new content allows all those whom it allows.
 *
 * @param next Those who may see the new content, as JSON; `null` for all.
 */
export function* narrowAccess(tx: Tx, seq: number, next: string | null): Operation<void> {
  const document = (yield* tx.get<AccessRow>(
    "SELECT seq, scope_id, generation, allow FROM documents WHERE seq = ?",
    seq,
  ))!;
  const allow = intersection(document.allow, next);
  if (allow === document.allow) return;
  yield* tx.exec("UPDATE documents SET allow = ? WHERE seq = ?", allow, seq);
  yield* publishAccess(tx, document);
}

/** Allows those whom a document's config allows to see its published content. */
export function* applyConfiguredAccess(tx: Tx, seq: number): Operation<void> {
  const configured = allowSql(tx.dialect);
  const changed = yield* tx.get<AccessRow>(
    `UPDATE documents SET allow = ${configured} WHERE seq = ? AND allow IS DISTINCT FROM ${configured}
     RETURNING seq, scope_id, generation, allow`,
    seq,
  );
  if (changed) yield* publishAccess(tx, changed);
}

/**
 * Changes who may see a document, at once and also after it is ingested again.
 * @throws KnowledgeBaseError `not_found` if there is no such document
 */
export function* setDocumentAccess(
  tx: Tx,
  change: { readonly documentId: string; readonly allow: readonly string[] | null },
): Operation<void> {
  const found = yield* tx.get<{ seq: number }>("SELECT seq FROM documents WHERE id = ?", change.documentId);
  if (!found) throw notFound("document", change.documentId);
  yield* lockDocuments(tx, [found.seq]);
  const row = yield* tx.get<{ config: string }>("SELECT config FROM documents WHERE seq = ?", found.seq);
  if (!row) throw notFound("document", change.documentId);
  const config = withAllow(row.config, change.allow && JSON.stringify(change.allow));
  yield* tx.exec("UPDATE documents SET config = ? WHERE seq = ?", config, found.seq);
  yield* applyConfiguredAccess(tx, found.seq);
}

/** Tells the search index that other principals may see what is published of a document. */
function* publishAccess(tx: Tx, { seq: documentSeq, scope_id: scopeId, generation }: AccessRow): Operation<void> {
  if (generation > 0) yield* tx.index.publish([{ scopeId, documentSeq, generation }]);
}

function intersection(a: string | null, b: string | null): string | null {
  if (a === null || b === null || a === b) return a ?? b;
  const others = new Set(JSON.parse(b) as readonly string[]);
  const common = (JSON.parse(a) as readonly string[]).filter((principal) => others.has(principal));
  return JSON.stringify(common);
}
