import { KnowledgeBaseError } from "../errors.js";
import type { CallOptions } from "../types.js";
import { suggestName } from "../validation/did-you-mean.js";
import type { AnyHit, EvaluatedNamespace } from "./evaluated-namespace.js";
import type { GoldenAnswer, GoldenQuestion } from "./golden-questions.js";
import type { Judge } from "./relevance-judge.js";

/** The ids of documents by what questions call them. */
interface Directory {
  readonly byName: ReadonlyMap<string, ReadonlySet<string>>;
  readonly byExternalId: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * One judge a question, for one namespace: names and external ids are looked up once.
 * @throws KnowledgeBaseError `invalid_input` for a document that the namespace doesn't have: a question about it can only fail
 */
export async function goldenJudges(
  handle: EvaluatedNamespace,
  questions: readonly GoldenQuestion[],
  options: CallOptions,
): Promise<readonly Judge[]> {
  const answers = questions.flatMap(({ answers }) => answers);
  const directory = await readDirectory(handle, answers, options);
  return questions.map(({ answers }, question) => {
    const conditions = answers.map((answer, index) => {
      return conditionOf(answer, directory, `questions[${question}].answers[${index}]`, handle.ref);
    });
    return {
      judgements: new Map(answers.map(({ grade = 1 }, index) => [keyOf(index), grade])),
      keysOf(hit) {
        const right = conditions.flatMap((holds, index) => (holds(hit) ? [keyOf(index)] : []));
        return right.length > 0 ? right : [hit.id];
      },
    };
  });
}

const keyOf = (answer: number) => `answer ${answer}`;

function conditionOf(
  { document, externalId, page, contains }: GoldenAnswer,
  { byName, byExternalId }: Directory,
  field: string,
  namespace: string,
): (hit: AnyHit) => boolean {
  const named = document === undefined ? null : known(document, byName, `${field}.document`, namespace);
  const came = externalId === undefined ? null : known(externalId, byExternalId, `${field}.externalId`, namespace);
  const text = contains === undefined ? null : plain(contains);
  return (hit) => {
    const id = String(hit.metadata?.documentId);
    return (
      (named?.has(id) ?? true) &&
      (came?.has(id) ?? true) &&
      (page === undefined || isOnPage(hit, page)) &&
      (text === null || plain(hit.text).includes(text))
    );
  };
}

function known(
  name: string,
  documents: ReadonlyMap<string, ReadonlySet<string>>,
  field: string,
  namespace: string,
): ReadonlySet<string> {
  const ids = documents.get(name);
  if (ids) return ids;
  const near = suggestName(name, [...documents.keys()]);
  const message = `is ${JSON.stringify(name)}, which no document of ${namespace} has${near ? `; did you mean ${JSON.stringify(near)}?` : ""}`;
  throw new KnowledgeBaseError("invalid_input", `${field} ${message}`, { issues: [{ field, message }] });
}

function isOnPage({ pages }: AnyHit, page: number): boolean {
  return pages !== undefined && pages[0] <= page && page <= pages[1];
}

function plain(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}

async function readDirectory(
  handle: EvaluatedNamespace,
  answers: readonly GoldenAnswer[],
  { signal }: CallOptions,
): Promise<Directory> {
  const byName = new Map<string, Set<string>>();
  const byJob = new Map<string, Set<string>>();
  const byExternalId = new Map<string, Set<string>>();
  const byExternal = answers.some(({ externalId }) => externalId !== undefined);
  if (!byExternal && answers.every(({ document }) => document === undefined)) return { byName, byExternalId };
  for await (const { id, name, ingestJobId, tenantId } of handle.documents.iterate({ perPage: 100, signal })) {
    // Searches without a tenant see the default partition; the owner's lists see all.
    if (tenantId !== handle.tenantId) continue;
    add(byName, id, id);
    if (name !== null) add(byName, name, id);
    add(byJob, ingestJobId, id);
  }
  if (byExternal) {
    for await (const { id, externalId } of handle.ingestJobs.iterate({ perPage: 100, signal })) {
      const documents = byJob.get(id);
      if (externalId !== null && documents) byExternalId.set(externalId, documents);
    }
  }
  return { byName, byExternalId };
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(value));
}
