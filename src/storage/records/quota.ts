import { KnowledgeBaseError } from "../../errors.js";
import type { Quota, Usage } from "../../types.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type JobInput, payloadDocuments } from "./job-documents.js";
import { readQuota, readUsage } from "./usage.js";

const RESOURCES = ["documents", "bytes", "tokens"] as const;

/**
 * Returns the limits of an organization, and locks it, so that what is added until the end of the transaction is counted
 * by whoever adds next. Returns `null`, without a lock, if the organization has no limits.
 */
export function* lockQuota(tx: Tx, organizationId: string): Operation<Quota | null> {
  const quota = yield* readQuota(tx, organizationId);
  if (!quota || RESOURCES.every((resource) => quota[resource] === null)) return null;
  yield* tx.lock("organization", organizationId);
  return (yield* readQuota(tx, organizationId)) ?? null;
}

/**
 * Returns the error if `added` does not fit into a quota besides what is used; otherwise `null`. What frees space, or
 * leaves it as it is, is allowed beyond the limit too.
 */
export function quotaError(organizationId: string, quota: Quota, used: Usage, added: Usage): KnowledgeBaseError | null {
  const resource = RESOURCES.find((name) => {
    const limit = quota[name];
    return limit !== null && added[name] > 0 && used[name] + added[name] > limit;
  });
  if (!resource) return null;
  const message =
    `The organization ${organizationId} may store ${quota[resource]} ${resource}: ${used[resource]} are used, and this ` +
    `needs at least ${added[resource]} more. Delete documents, or raise the quota.`;
  return new KnowledgeBaseError("limit_exceeded", message);
}

/** @throws KnowledgeBaseError `limit_exceeded` if a new job has no room for its documents, as far as it lists them */
export function* requireRoom(tx: Tx, organizationId: string, job: JobInput): Operation<void> {
  const quota = yield* lockQuota(tx, organizationId);
  if (!quota) return;
  const documents = yield* payloadDocuments(tx, job);
  const bytes = documents?.reduce((sum, { fileSize }) => sum + fileSize, 0) ?? 0;
  // How much a crawl finds, and how many tokens a text has, is known later: here it is refused if nothing more fits.
  const added = { documents: documents?.length ?? 1, bytes: Math.max(1, bytes), tokens: 1 };
  const error = quotaError(organizationId, quota, yield* readUsage(tx, organizationId), added);
  if (error) throw error;
}

/** The place of a change that adds documents. */
export interface QuotaPlace {
  readonly organizationId: string;
  /** A hidden namespace that counts too, because it is being imported. */
  readonly importedId?: string;
}

/**
 * Runs a change that may add documents or make them larger.
 * @throws KnowledgeBaseError `limit_exceeded` if what it adds does not fit into the organization's quota
 */
export function* withinQuota<Input, Result>(
  tx: Tx,
  { organizationId, importedId }: QuotaPlace,
  change: (tx: Tx, input: Input) => Operation<Result>,
  input: Input,
): Operation<Result> {
  const quota = yield* lockQuota(tx, organizationId);
  if (!quota) return yield* change(tx, input);
  const before = yield* readUsage(tx, organizationId, importedId);
  const result = yield* change(tx, input);
  const after = yield* readUsage(tx, organizationId, importedId);
  const error = quotaError(organizationId, quota, before, {
    documents: after.documents - before.documents,
    bytes: after.bytes - before.bytes,
    tokens: after.tokens - before.tokens,
  });
  if (error) throw error;
  return result;
}

/** Returns the place of what a job adds. */
export function* ownerOfJob(tx: Tx, jobId: string): Operation<QuotaPlace> {
  const owner = yield* tx.get<{ organizationId: string }>(
    `SELECT n.organization_id AS "organizationId" FROM ingest_jobs j JOIN namespaces n ON n.id = j.namespace_id
     WHERE j.id = ?`,
    jobId,
  );
  // A job that is gone adds nothing, and no organization has an empty id.
  return owner ?? { organizationId: "" };
}
