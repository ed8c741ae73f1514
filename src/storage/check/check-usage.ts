import type { Usage } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";

/** A namespace whose recorded usage is not that of its documents. */
export interface UsageProblem {
  readonly namespaceId: string;
  /** What is recorded less what the documents amount to. */
  readonly difference: Usage;
}

const differences = (condition: string) => `SELECT namespace_id, sum(documents) AS documents, sum(bytes) AS bytes,
    sum(tokens) AS tokens
  FROM (SELECT namespace_id, documents, bytes, tokens FROM usage_changes
    UNION ALL SELECT namespace_id, -1, -file_size, -total_tokens FROM documents
    WHERE status NOT IN ('QUEUED_FOR_DELETE', 'DELETING')) counted
  WHERE ${condition} GROUP BY namespace_id HAVING sum(documents) <> 0 OR sum(bytes) <> 0 OR sum(tokens) <> 0`;

/**
 * Finds the namespaces whose recorded usage, which quotas are compared with, is not that of their documents. Reads all
 * documents by one statement: read in steps, what is added meanwhile would count on one side only.
 */
export function* checkUsage(tx: Tx): Operation<readonly UsageProblem[]> {
  const rows = yield* tx.all<Usage & { namespace_id: string }>(
    differences("namespace_id IN (SELECT id FROM namespaces)"),
  );
  return rows.map(({ namespace_id: namespaceId, ...difference }) => ({ namespaceId, difference }));
}

/** Corrects the recorded usage of a namespace. */
export function* repairUsage(tx: Tx, { namespaceId }: { readonly namespaceId: string }): Operation<void> {
  const namespace = yield* tx.get<{ organization_id: string }>(
    "SELECT organization_id FROM namespaces WHERE id = ?",
    namespaceId,
  );
  if (!namespace) return;
  // Otherwise two repairs at the same time would both correct the same difference.
  yield* tx.lock("organization", namespace.organization_id);
  // One statement, so that what other transactions add meanwhile counts on both sides or on neither.
  yield* tx.exec(
    `INSERT INTO usage_changes (namespace_id, documents, bytes, tokens)
     SELECT namespace_id, -documents, -bytes, -tokens FROM (${differences("namespace_id = ?")}) wrong`,
    namespaceId,
  );
}
