import { KnowledgeBaseError } from "../../errors.js";
import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { type CamelCase, camelCase } from "./camel-case.js";
import { ownedBy, type RecordOwner } from "./job-queries.js";
import { type Lease, requireLease } from "./lease.js";
import { notFound } from "./not-found.js";
import { inList, inRange, type RowRange, whereAll } from "./range.js";
import type { GoldenQuestionRow } from "./row-types.js";

export type GoldenQuestionRecord = CamelCase<GoldenQuestionRow>;

/** The number of rows removed in one transaction. */
const BATCH_SIZE = 500;

export interface GoldenQuestionFilter {
  readonly statuses?: readonly string[] | undefined;
  readonly origins?: readonly string[] | undefined;
}

/** How many questions were written, by what happened to them. */
export interface WrittenGoldenQuestions {
  readonly added: number;
  readonly replaced: number;
  readonly unchanged: number;
  /** Made questions for which the namespace has no room. Whoever adds or imports too many gets an error instead. */
  readonly leftOut: number;
}

interface GoldenQuestionWrite extends RecordOwner {
  /** Of one tenant, each with another key. */
  readonly questions: readonly Omit<GoldenQuestionRecord, "seq" | "namespaceId" | "tenantId">[];
  /** What to do with a question whose key is taken. With `keep`, questions beyond the limit are left out. */
  readonly existing: "refuse" | "replace" | "keep";
  /** The maximum number of questions of the namespace. */
  readonly limit: number;
}

/**
 * Adds questions. One that replaces another keeps the other's id, origin and status.
 * @throws KnowledgeBaseError `not_found` if the namespace has been deleted, `conflict` if a key is taken,
 * `limit_exceeded` if the namespace would have too many, unless those are left out
 */
export function* writeGoldenQuestions(
  tx: Tx,
  { namespaceId, tenantId, questions, existing, limit }: GoldenQuestionWrite,
): Operation<WrittenGoldenQuestions> {
  yield* tx.lock("namespace", namespaceId);
  if (!(yield* tx.get("SELECT 1 FROM namespaces WHERE id = ? AND deleted_at IS NULL", namespaceId)))
    throw notFound("namespace", namespaceId);
  const present = yield* tx.all<GoldenQuestionRow>(
    `SELECT * FROM golden_questions WHERE namespace_id = ? AND coalesce(tenant_id, '') = ?
     AND ${tx.dialect.inJsonList("key_digest")}`,
    ...[namespaceId, tenantId ?? "", JSON.stringify(questions.map(({ keyDigest }) => keyDigest))],
  );
  const taken = new Map(present.map((row) => [row.key_digest, row]));
  if (existing === "refuse" && present[0]) throw keyTaken(present[0].key);
  const missing = questions.filter(({ keyDigest }) => !taken.has(keyDigest));
  const { count } = (yield* tx.get<{ count: number }>(
    "SELECT count(*) AS count FROM golden_questions WHERE namespace_id = ?",
    namespaceId,
  ))!;
  const added = existing === "keep" ? missing.slice(0, Math.max(0, limit - count)) : missing;
  if (added.length > 0 && count + added.length > limit) {
    const message = `The namespace has ${count} golden questions, and with ${added.length} more would have over ${limit}.`;
    throw new KnowledgeBaseError("limit_exceeded", message);
  }
  for (const { id, key, keyDigest, question, answers, origin, status, createdAt, updatedAt } of added)
    yield* tx.exec(
      `INSERT INTO golden_questions
         (id, namespace_id, tenant_id, key, key_digest, question, answers, origin, status, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, namespaceId, tenantId, key, keyDigest, question, answers, origin, status, createdAt, updatedAt],
    );
  let replaced = 0;
  for (const { keyDigest, question, answers, updatedAt } of existing === "replace" ? questions : []) {
    const row = taken.get(keyDigest);
    if (!row || (row.question === question && row.answers === answers)) continue;
    replaced++;
    yield* tx.exec(
      "UPDATE golden_questions SET question = ?, answers = ?, updated_at = ? WHERE seq = ?",
      ...[question, answers, updatedAt, row.seq],
    );
  }
  return {
    added: added.length,
    replaced,
    unchanged: questions.length - missing.length - replaced,
    leftOut: missing.length - added.length,
  };
}

interface GoldenQuestionList extends RecordOwner, GoldenQuestionFilter {
  readonly range: RowRange;
}

export function* listGoldenQuestions(
  tx: Tx,
  { range, statuses, origins, ...owner }: GoldenQuestionList,
): Operation<readonly GoldenQuestionRecord[]> {
  const conditions = [...ownedBy(owner), inList("status", statuses), inList("origin", origins)];
  const { sql, parameters } = inRange(range, conditions);
  return (yield* tx.all<GoldenQuestionRow>(`SELECT * FROM golden_questions ${sql}`, ...parameters)).map(camelCase);
}

/** Returns the sizes of the questions that {@link listGoldenQuestions} returns for the same list. */
export function* listGoldenQuestionSizes(
  tx: Tx,
  { range, statuses, origins, ...owner }: GoldenQuestionList,
): Operation<readonly { readonly bytes: number }[]> {
  const conditions = [...ownedBy(owner), inList("status", statuses), inList("origin", origins)];
  const { sql, parameters } = inRange(range, conditions);
  return yield* tx.all<{ bytes: number }>(
    `SELECT octet_length(key) + octet_length(question) + octet_length(answers) AS bytes FROM golden_questions ${sql}`,
    ...parameters,
  );
}

interface GoldenQuestionRef extends RecordOwner {
  readonly id: string;
}

export function* getGoldenQuestion(
  tx: Tx,
  { id, ...owner }: GoldenQuestionRef,
): Operation<GoldenQuestionRecord | undefined> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["id = ?", id]]);
  return camelCase(yield* tx.get<GoldenQuestionRow>(`SELECT * FROM golden_questions ${sql}`, ...parameters));
}

/** Changes the given fields, and returns the question; `undefined` if there is none with the id. */
export function* updateGoldenQuestion(
  tx: Tx,
  {
    id,
    change: { question, answers, status },
    now,
    ...owner
  }: GoldenQuestionRef & {
    readonly change: { readonly [Field in "question" | "answers" | "status"]?: string | undefined };
    readonly now: number;
  },
): Operation<GoldenQuestionRecord | undefined> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["id = ?", id]]);
  return camelCase(
    yield* tx.get<GoldenQuestionRow>(
      `UPDATE golden_questions SET question = coalesce(?, question), answers = coalesce(?, answers),
         status = coalesce(?, status), updated_at = ? ${sql} RETURNING *`,
      ...[question ?? null, answers ?? null, status ?? null, now, ...parameters],
    ),
  );
}

/** Deletes and returns a question; returns `undefined` if there is none with the id. */
export function* deleteGoldenQuestion(
  tx: Tx,
  { id, ...owner }: GoldenQuestionRef,
): Operation<GoldenQuestionRecord | undefined> {
  const { sql, parameters } = whereAll([...ownedBy(owner), ["id = ?", id]]);
  return camelCase(yield* tx.get<GoldenQuestionRow>(`DELETE FROM golden_questions ${sql} RETURNING *`, ...parameters));
}

/** Removes some of a deleted namespace's golden questions. Returns whether there may be more. */
export function* purgeGoldenQuestions(
  tx: Tx,
  { lease, namespaceId }: { readonly lease: Lease; readonly namespaceId: string },
): Operation<boolean> {
  yield* requireLease(tx, lease);
  const removed = yield* tx.run(
    "DELETE FROM golden_questions WHERE seq IN (SELECT seq FROM golden_questions WHERE namespace_id = ? ORDER BY seq LIMIT ?)",
    ...[namespaceId, BATCH_SIZE],
  );
  return removed === BATCH_SIZE;
}

function keyTaken(key: string): KnowledgeBaseError {
  const message = `There is a golden question with the key ${JSON.stringify(key)} already: change it, or choose another key.`;
  return new KnowledgeBaseError("conflict", message);
}
