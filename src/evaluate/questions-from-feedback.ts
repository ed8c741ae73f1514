import type { Feedback, ListFeedbackOptions } from "../resources/feedback.js";
import type { GoldenQuestion } from "../resources/golden-questions.js";
import type { IterateOptions } from "../resources/namespaces.js";
import type { CallOptions } from "../types.js";
import { getOrCreate } from "../util/get-or-create.js";
import type { EvaluatedNamespace } from "./evaluated-namespace.js";

/** The part of a namespace that {@link questionsFromFeedback} uses. Every `NamespaceHandle` implements it. */
export interface RatedNamespace extends Pick<EvaluatedNamespace, "tenantId" | "documents"> {
  readonly feedback: {
    iterate(
      options: IterateOptions<ListFeedbackOptions>,
    ): AsyncIterable<Pick<Feedback, "question" | "chunkIds" | "tenantId">>;
  };
}

/**
 * Turns upvoted answers into golden questions: each distinct question once, in the order of the first upvotes, answered
 * by the ids of the documents that its answers cited. Leaves out documents that are no longer in the namespace and
 * tenant, and questions that have no documents left.
 *
 * @example
 * import { evaluate, questionsFromFeedback } from "lorebase/evaluate";
 *
 * const report = await evaluate(handbook, await questionsFromFeedback(handbook));
 */
export async function questionsFromFeedback(
  handle: RatedNamespace,
  { signal }: CallOptions = {},
): Promise<readonly GoldenQuestion[]> {
  const documentsByQuestion = new Map<string, Set<string>>();
  for await (const item of handle.feedback.iterate({ rating: "up", order: "asc", perPage: 100, signal })) {
    // Without a tenant, searches see only the default partition, but lists return the records of all tenants.
    if (item.tenantId !== handle.tenantId) continue;
    const documents = getOrCreate(documentsByQuestion, item.question, () => new Set<string>());
    for (const chunkId of item.chunkIds) documents.add(chunkId.split("#", 1)[0]!);
  }
  if (documentsByQuestion.size === 0) return [];
  const existing = await listDocumentIds(handle, signal);
  return [...documentsByQuestion].flatMap(([question, documents]) => {
    const answers = [...documents].filter((id) => existing.has(id)).map((document) => ({ document }));
    return answers.length === 0 ? [] : [{ question, answers }];
  });
}

/** Returns the ids of the documents of a handle's own tenant. */
export async function listDocumentIds(
  handle: Pick<EvaluatedNamespace, "tenantId" | "documents">,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { id, tenantId } of handle.documents.iterate({ perPage: 100, signal }))
    if (tenantId === handle.tenantId) ids.add(id);
  return ids;
}
