import type { GoldenQuestion, GoldenQuestions } from "../resources/golden-questions.js";
import { getOrCreate } from "../util/get-or-create.js";

/** Returns the active questions of a namespace by their tenants, with their keys as ids. */
export async function listActive(
  questions: GoldenQuestions,
  namespace: string,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string | null, readonly GoldenQuestion[]>> {
  const byTenant = new Map<string | null, GoldenQuestion[]>();
  const options = { statuses: ["active"], order: "asc", perPage: 100, signal } as const;
  for await (const { tenantId, key, question, answers } of questions.iterate(namespace, options))
    getOrCreate(byTenant, tenantId, () => [] as GoldenQuestion[]).push({ id: key, question, answers });
  return byTenant;
}
