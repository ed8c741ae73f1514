import type { Quota, Usage } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/**
 * Adds up what the documents of an organization's namespaces amount to. Deleted namespaces don't count, except for one
 * that is being imported.
 */
function* sumUsage(
  tx: Tx,
  organizationId: string,
  importedId: string | null,
): Operation<{ readonly rows: number; readonly usage: Usage }> {
  const { rows, ...usage } = (yield* tx.get<Usage & { readonly rows: number }>(
    `SELECT count(*) AS "rows", coalesce(sum(u.documents), 0) AS documents, coalesce(sum(u.bytes), 0) AS bytes,
       coalesce(sum(u.tokens), 0) AS tokens
     FROM namespaces n JOIN usage_changes u ON u.namespace_id = n.id
     WHERE n.organization_id = ? AND (n.deleted_at IS NULL OR n.id = ?)`,
    ...[organizationId, importedId],
  ))!;
  return { rows, usage };
}

/** Returns the usage to a transaction that writes: it leaves fewer rows to add up to later readers. */
export function* readUsage(tx: Tx, organizationId: string, importedId: string | null = null): Operation<Usage> {
  const { rows, usage } = yield* sumUsage(tx, organizationId, importedId);
  if (rows > STEP) yield* foldUsage(tx, { organizationId });
  return usage;
}

/** Returns the limits of an organization; `undefined` if there is no such organization. */
export function* readQuota(tx: Tx, organizationId: string): Operation<Quota | undefined> {
  return yield* tx.get<Quota>(
    "SELECT max_documents AS documents, max_bytes AS bytes, max_tokens AS tokens FROM organizations WHERE id = ?",
    organizationId,
  );
}

/** Returns an organization's limits and usage; `undefined` if there is no such organization. */
export function* getUsage(
  tx: Tx,
  { organizationId }: { readonly organizationId: string },
): Operation<{ readonly quota: Quota; readonly usage: Usage } | undefined> {
  const quota = yield* readQuota(tx, organizationId);
  return quota && { quota, usage: (yield* sumUsage(tx, organizationId, null)).usage };
}

/** The number of rows of a namespace that are left for readers to add up. */
const MAX_ROWS = 100;
/** The maximum number of rows that one call replaces. */
const STEP = 1000;

/**
 * Replaces rows of a namespace that has many with their sum. Takes a namespace of the organization, if one is given.
 * Returns whether there may be more to do.
 */
export function* foldUsage(tx: Tx, { organizationId }: { readonly organizationId?: string }): Operation<boolean> {
  const isGiven = organizationId !== undefined;
  const crowded = yield* tx.get<{ namespace_id: string }>(
    `SELECT namespace_id FROM usage_changes
     ${isGiven ? "WHERE namespace_id IN (SELECT id FROM namespaces WHERE organization_id = ?)" : ""}
     GROUP BY namespace_id HAVING count(*) > ? LIMIT 1`,
    ...(isGiven ? [organizationId, MAX_ROWS] : [MAX_ROWS]),
  );
  if (!crowded) return false;
  // What another transaction adds or folds meanwhile isn't among the deleted rows, so no row is counted twice.
  const rows = yield* tx.all<Usage>(
    `DELETE FROM usage_changes WHERE seq IN (SELECT seq FROM usage_changes WHERE namespace_id = ? ORDER BY seq LIMIT ?)
     RETURNING documents, bytes, tokens`,
    ...[crowded.namespace_id, STEP],
  );
  const sum = { documents: 0, bytes: 0, tokens: 0 };
  for (const { documents, bytes, tokens } of rows) {
    sum.documents += documents;
    sum.bytes += bytes;
    sum.tokens += tokens;
  }
  yield* tx.exec(
    "INSERT INTO usage_changes (namespace_id, documents, bytes, tokens) VALUES (?, ?, ?, ?)",
    ...[crowded.namespace_id, sum.documents, sum.bytes, sum.tokens],
  );
  return true;
}
