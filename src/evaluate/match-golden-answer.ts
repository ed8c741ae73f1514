import { KnowledgeBaseError } from "../errors.js";
import type { GoldenAnswer, GoldenQuestion } from "../resources/golden-questions.js";
import type { CallOptions, Status } from "../types.js";
import { preview } from "../util/preview.js";
import { suggestName } from "../validation/did-you-mean.js";
import type { AnyHit, EvaluatedNamespace } from "./evaluated-namespace.js";
import type { RelevanceJudge } from "./relevance-judge.js";

/** The statuses of documents that searches don't find any more. */
const DELETED: readonly Status[] = ["QUEUED_FOR_DELETE", "DELETING"];

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
  const index = await readDocumentIndex(handle, questions, options);
  return questions.map(({ answers }, questionIndex) => {
    const unknown = findUnknownName(answers, index);
    if (unknown) throw unknownName(unknown, `questions[${questionIndex}].`, handle.ref);
    return createJudge(answers, index);
  });
}

/** Questions that can be evaluated, each with its judge, and the others. */
export interface JudgedQuestions {
  readonly answerable: readonly GoldenQuestion[];
  /** The judges of `answerable`, in the same order. */
  readonly judges: readonly RelevanceJudge[];
  readonly skipped: readonly { readonly id: string; readonly reason: string }[];
}

/**
 * Creates the judges of the questions whose answers name only documents that the namespace has. A document that is deleted
 * afterwards is one that searches don't find. Reasons suggest no similar names: comparing each name with those of all
 * documents would block the event loop.
 */
export async function judgeAnswerable(
  handle: EvaluatedNamespace,
  questions: readonly GoldenQuestion[],
  options: CallOptions,
): Promise<JudgedQuestions> {
  const index = await readDocumentIndex(handle, questions, options);
  const answerable: GoldenQuestion[] = [];
  const judges: RelevanceJudge[] = [];
  const skipped: { readonly id: string; readonly reason: string }[] = [];
  for (const question of questions) {
    const unknown = findUnknownName(question.answers, index);
    if (unknown) {
      skipped.push({
        id: question.id ?? question.question,
        reason: `${unknown.field} ${describeUnknown(unknown, handle.ref)}`,
      });
    } else {
      answerable.push(question);
      judges.push(createJudge(question.answers, index));
    }
  }
  return { answerable, judges, skipped };
}

function createJudge(answers: readonly GoldenAnswer[], index: DocumentIndex): RelevanceJudge {
  const matchers = answers.map((answer) => createAnswerMatcher(answer, index));
  return {
    judgements: new Map(answers.map(({ grade = 1 }, position) => [toKey(position), grade])),
    keysOf(hit) {
      const matched = matchers.flatMap((matches, position) => (matches(hit) ? [toKey(position)] : []));
      return matched.length > 0 ? matched : [hit.id];
    },
  };
}

const toKey = (answerIndex: number) => `answer ${answerIndex}`;

function createAnswerMatcher(
  { document, externalId, page, contains }: GoldenAnswer,
  { byIdOrName, byExternalId }: DocumentIndex,
): (hit: AnyHit) => boolean {
  const documentIds = document === undefined ? null : byIdOrName.get(document)!;
  const jobDocumentIds = externalId === undefined ? null : byExternalId.get(externalId)!;
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

/** A name in an answer that no document has. */
interface UnknownName {
  readonly field: string;
  readonly name: string;
  readonly known: Iterable<string>;
}

function findUnknownName(answers: readonly GoldenAnswer[], index: DocumentIndex): UnknownName | undefined {
  for (const [position, { document, externalId }] of answers.entries()) {
    for (const [field, name, documents] of [
      ["document", document, index.byIdOrName],
      ["externalId", externalId, index.byExternalId],
    ] as const) {
      if (name !== undefined && !documents.has(name))
        return { field: `answers[${position}].${field}`, name, known: documents.keys() };
    }
  }
  return undefined;
}

function unknownName(unknown: UnknownName, prefix: string, namespace: string): KnowledgeBaseError {
  const field = `${prefix}${unknown.field}`;
  const suggestion = suggestName(unknown.name, [...unknown.known]);
  const hint = suggestion ? `; did you mean ${JSON.stringify(suggestion)}?` : "";
  const message = `${describeUnknown(unknown, namespace)}${hint}`;
  return new KnowledgeBaseError("invalid_input", `${field} ${message}`, { issues: [{ field, message }] });
}

function describeUnknown({ name }: UnknownName, namespace: string): string {
  return `is ${preview(name)}, which no document of ${namespace} has`;
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
  questions: readonly GoldenQuestion[],
  { signal }: CallOptions,
): Promise<DocumentIndex> {
  const byIdOrName = new Map<string, Set<string>>();
  const byJob = new Map<string, Set<string>>();
  const byExternalId = new Map<string, Set<string>>();
  const answers = questions.flatMap((question) => question.answers);
  const needsJobs = answers.some(({ externalId }) => externalId !== undefined);
  if (!needsJobs && answers.every(({ document }) => document === undefined)) return { byIdOrName, byExternalId };
  for await (const { id, name, ingestJobId, tenantId, status } of handle.documents.iterate({ perPage: 100, signal })) {
    // Without a tenant, searches see only the default partition, but lists return the documents of all tenants.
    if (tenantId !== handle.tenantId) continue;
    if (DELETED.includes(status)) continue;
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
