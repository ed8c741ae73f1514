import { KnowledgeBaseError } from "../errors.js";
import type { GoldenAnswer, GoldenQuestion } from "../resources/golden-questions.js";
import type { CallOptions } from "../types.js";
import { suggestName } from "../validation/did-you-mean.js";
import type { AnyHit, EvaluatedNamespace } from "./evaluated-namespace.js";
import type { RelevanceJudge } from "./relevance-judge.js";

/** The ids of documents, by what answers name them with: an id or a name, or the external id of a job. */
interface DocumentIndex {
  readonly byIdOrName: ReadonlyMap<string, ReadonlySet<string>>;
  readonly byExternalId: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Creates one judge per question. Reads the documents and jobs of the namespace once.
 * @throws KnowledgeBaseError `invalid_input` for a document that the namespace doesn't have
 */
export async function createGoldenJudges(
  handle: EvaluatedNamespace,
  questions: readonly GoldenQuestion[],
  options: CallOptions,
): Promise<readonly RelevanceJudge[]> {
  const answers = questions.flatMap(({ answers }) => answers);
  const index = await readDocumentIndex(handle, answers, options);
  return questions.map(({ answers }, questionIndex) => {
    const matchers = answers.map((answer, position) => {
      return createAnswerMatcher(answer, index, `questions[${questionIndex}].answers[${position}]`, handle.ref);
    });
    return {
      judgements: new Map(answers.map(({ grade = 1 }, position) => [toKey(position), grade])),
      keysOf(hit) {
        const matched = matchers.flatMap((matches, position) => (matches(hit) ? [toKey(position)] : []));
        return matched.length > 0 ? matched : [hit.id];
      },
    };
  });
}

/** Separates questions whose answers name a document that the namespace doesn't have, each with the reason. */
export async function splitAnswerable(
  handle: EvaluatedNamespace,
  questions: readonly GoldenQuestion[],
  options: CallOptions,
) {
  const index = await readDocumentIndex(
    handle,
    questions.flatMap(({ answers }) => answers),
    options,
  );
  const answerable: GoldenQuestion[] = [];
  const skipped: { readonly id: string; readonly reason: string }[] = [];
  for (const question of questions) {
    try {
      for (const [position, answer] of question.answers.entries())
        createAnswerMatcher(answer, index, `answers[${position}]`, handle.ref);
      answerable.push(question);
    } catch (error) {
      if (!KnowledgeBaseError.is(error, "invalid_input")) throw error;
      skipped.push({ id: question.id ?? question.question, reason: error.message });
    }
  }
  return { answerable, skipped };
}

const toKey = (answerIndex: number) => `answer ${answerIndex}`;

function createAnswerMatcher(
  { document, externalId, page, contains }: GoldenAnswer,
  { byIdOrName, byExternalId }: DocumentIndex,
  field: string,
  namespace: string,
): (hit: AnyHit) => boolean {
  const documentIds = document === undefined ? null : lookUp(document, byIdOrName, `${field}.document`, namespace);
  const jobDocumentIds =
    externalId === undefined ? null : lookUp(externalId, byExternalId, `${field}.externalId`, namespace);
  const text = contains === undefined ? null : normalizeText(contains);
  return (hit) => {
    const id = String(hit.metadata?.documentId);
    return (
      (documentIds?.has(id) ?? true) &&
      (jobDocumentIds?.has(id) ?? true) &&
      (page === undefined || isOnPage(hit, page)) &&
      (text === null || normalizeText(hit.text).includes(text))
    );
  };
}

function lookUp(
  name: string,
  documents: ReadonlyMap<string, ReadonlySet<string>>,
  field: string,
  namespace: string,
): ReadonlySet<string> {
  const ids = documents.get(name);
  if (ids) return ids;
  const suggestion = suggestName(name, [...documents.keys()]);
  const hint = suggestion ? `; did you mean ${JSON.stringify(suggestion)}?` : "";
  const message = `is ${JSON.stringify(name)}, which no document of ${namespace} has${hint}`;
  throw new KnowledgeBaseError("invalid_input", `${field} ${message}`, { issues: [{ field, message }] });
}

function isOnPage({ pages }: AnyHit, page: number): boolean {
  return pages !== undefined && pages[0] <= page && page <= pages[1];
}

/** Returns a text in the form in which `contains` is compared. */
export function normalizeText(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

async function readDocumentIndex(
  handle: EvaluatedNamespace,
  answers: readonly GoldenAnswer[],
  { signal }: CallOptions,
): Promise<DocumentIndex> {
  const byIdOrName = new Map<string, Set<string>>();
  const byJob = new Map<string, Set<string>>();
  const byExternalId = new Map<string, Set<string>>();
  const needsJobs = answers.some(({ externalId }) => externalId !== undefined);
  if (!needsJobs && answers.every(({ document }) => document === undefined)) return { byIdOrName, byExternalId };
  for await (const { id, name, ingestJobId, tenantId } of handle.documents.iterate({ perPage: 100, signal })) {
    // Without a tenant, searches see only the default partition, but lists return the documents of all tenants.
    if (tenantId !== handle.tenantId) continue;
    addToSet(byIdOrName, id, id);
    if (name !== null) addToSet(byIdOrName, name, id);
    addToSet(byJob, ingestJobId, id);
  }
  if (needsJobs) {
    for await (const { id, externalId } of handle.ingestJobs.iterate({ perPage: 100, signal })) {
      const documents = byJob.get(id);
      if (externalId !== null && documents) byExternalId.set(externalId, documents);
    }
  }
  return { byIdOrName, byExternalId };
}

function addToSet(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(value));
}
