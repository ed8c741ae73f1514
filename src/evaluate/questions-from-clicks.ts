import type { Click } from "../resources/clicks.js";
import type { GoldenQuestion } from "../resources/golden-questions.js";
import type { IterateOptions, ListOptions } from "../resources/namespaces.js";
import type { CallOptions } from "../types.js";
import { collapseWhitespace } from "../util/collapse-whitespace.js";
import { getOrCreate } from "../util/get-or-create.js";
import type { EvaluatedNamespace } from "./evaluated-namespace.js";
import { listDocumentIds } from "./questions-from-feedback.js";

/** Fewer clicks on a document may be chance or curiosity. */
export const MIN_CLICKS = 3;
/** The share of a question's clicks that its answers have at least. */
const MIN_SHARE = 0.2;

/** The part of a namespace that {@link questionsFromClicks} uses. Every `NamespaceHandle` implements it. */
export interface ClickedNamespace extends Pick<EvaluatedNamespace, "tenantId" | "documents"> {
  readonly clicks: {
    iterate(options: IterateOptions<ListOptions>): AsyncIterable<Pick<Click, "question" | "chunkId" | "tenantId">>;
  };
}

export interface QuestionsFromClicksOptions extends CallOptions {
  /** The number of clicks on a document, for the same question, that make it an answer, from 1. @default 3 */
  readonly minClicks?: number | undefined;
}

/**
 * Turns clicks into golden questions: each distinct question once, upper and lower case and white space aside, in the
 * order of the first clicks. It is answered by the documents on which at least `minClicks` of its clicks are, and a
 * fifth of them, the most clicked ones first. Leaves out documents that are no longer in the namespace and tenant, and
 * questions that have no documents left.
 *
 * Readers click what is shown first most often, so such questions agree with the search that was in use.
 */
export async function questionsFromClicks(
  handle: ClickedNamespace,
  { minClicks = MIN_CLICKS, signal }: QuestionsFromClicksOptions = {},
): Promise<readonly GoldenQuestion[]> {
  const clicked = new Map<string, { readonly question: string; total: number; readonly counts: Map<string, number> }>();
  for await (const { tenantId, question, chunkId } of handle.clicks.iterate({ order: "asc", perPage: 100, signal })) {
    // Without a tenant, searches see only the default partition, but lists return the records of all tenants.
    if (tenantId !== handle.tenantId) continue;
    const key = normalizeClicked(question);
    const entry = getOrCreate(clicked, key, () => ({ question, total: 0, counts: new Map<string, number>() }));
    const document = chunkId.split("#", 1)[0]!;
    entry.total++;
    entry.counts.set(document, (entry.counts.get(document) ?? 0) + 1);
  }
  if (clicked.size === 0) return [];
  const existing = await listDocumentIds(handle, signal);
  return [...clicked.values()].flatMap(({ question, total, counts }) => {
    const answers = [...counts]
      .filter(([id, count]) => count >= minClicks && count >= MIN_SHARE * total && existing.has(id))
      .sort(([, a], [, b]) => b - a)
      .map(([document]) => ({ document }));
    return answers.length === 0 ? [] : [{ question, answers }];
  });
}

/** Returns what is the same for all spellings of one question. */
export function normalizeClicked(question: string): string {
  return collapseWhitespace(question).toLowerCase();
}
