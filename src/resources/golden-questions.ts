import { createHash } from "node:crypto";
import { newId } from "../domain/ids.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { fetchPage, iteratePages } from "../storage/pagination.js";
import { ownerOf } from "../storage/records/access.js";
import type { GoldenQuestionRecord, WrittenGoldenQuestions } from "../storage/records/golden-questions.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, ListPage } from "../types.js";
import {
  addGoldenQuestionSchema,
  type GOLDEN_ORIGINS,
  type GOLDEN_STATUSES,
  importGoldenQuestionsSchema,
  listGoldenQuestionsSchema,
  MAX_GOLDEN_QUESTIONS,
  updateGoldenQuestionSchema,
} from "../validation/golden-question-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { IterateOptions, ListOptions } from "./namespaces.js";
import { toTimestamp } from "./records.js";

/** A passage that answers a question. It must meet every given condition. */
export interface GoldenAnswer {
  /** The id or name of the passage's document, such as `handbook.pdf`, at most 1000 characters. */
  readonly document?: string | undefined;
  /** The external id of the job that ingested the document, at most 1000 characters. */
  readonly externalId?: string | undefined;
  /** A page that the passage is on, from 1. */
  readonly page?: number | undefined;
  /** Text in the passage, ignoring differences in case, white space and character forms (Unicode NFKC). */
  readonly contains?: string | undefined;
  /** The weight of the answer in nDCG, above 0 and at most 1000. @default 1 */
  readonly grade?: number | undefined;
}

/** A question and its answers. */
export interface GoldenQuestion {
  /** Identifies the question across evaluations. @default the question */
  readonly id?: string | undefined;
  readonly question: string;
  /** At least one. If there are several, a search should find all of them. */
  readonly answers: readonly GoldenAnswer[];
}

/** Who made a golden question: a person, or a reader's rating, readers' clicks or the generator. */
export type GoldenQuestionOrigin = (typeof GOLDEN_ORIGINS)[number];

/** Only `active` questions are evaluated. A `draft` waits for review, and a `disabled` one is not made again. */
export type GoldenQuestionStatus = (typeof GOLDEN_STATUSES)[number];

/** A golden question that is kept with a namespace. */
export interface StoredGoldenQuestion {
  readonly id: string;
  readonly namespaceId: string;
  /** `null` in the default partition. */
  readonly tenantId: string | null;
  /** Identifies the question across evaluations and imports. */
  readonly key: string;
  readonly question: string;
  readonly answers: readonly GoldenAnswer[];
  readonly origin: GoldenQuestionOrigin;
  readonly status: GoldenQuestionStatus;
  /** ISO 8601. */
  readonly createdAt: string;
  /** When the question, its answers or its status changed last, in ISO 8601. */
  readonly updatedAt: string;
}

/** A golden question to add. */
export interface AddGoldenQuestionInput {
  /** 1 to 8000 characters not counting leading and trailing white space. */
  readonly question: string;
  /** 1 to 100, at most 100,000 characters as JSON. Documents need not exist yet. */
  readonly answers: readonly GoldenAnswer[];
  /** Identifies the question across evaluations and imports, at most 8000 characters. @default the question */
  readonly key?: string | undefined;
  /** @default "manual" */
  readonly origin?: GoldenQuestionOrigin | undefined;
  /** @default "active" */
  readonly status?: GoldenQuestionStatus | undefined;
}

/** Changes of a golden question. The key stays. */
export interface UpdateGoldenQuestionInput {
  readonly question?: string | undefined;
  /** Replaces all answers. */
  readonly answers?: readonly GoldenAnswer[] | undefined;
  readonly status?: GoldenQuestionStatus | undefined;
}

/** Options for listing golden questions. */
export interface ListGoldenQuestionsOptions extends ListOptions {
  /** @default all */
  readonly statuses?: readonly GoldenQuestionStatus[] | undefined;
  /** @default all */
  readonly origins?: readonly GoldenQuestionOrigin[] | undefined;
}

/** How many questions an import, or whatever made them, has added, replaced, left as they were, and left out. */
export type GoldenQuestionCounts = WrittenGoldenQuestions;

/** The golden questions of one organization's namespaces. */
export class GoldenQuestions {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /**
   * Adds a question. A namespace keeps up to 2000 questions of all its tenants together.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace, `conflict` if another question of the
   * namespace and tenant has the key, `limit_exceeded`
   */
  async add(
    namespace: string,
    input: AddGoldenQuestionInput,
    options: CallOptions = {},
  ): Promise<StoredGoldenQuestion> {
    const { key, ...fields } = parseInput(addGoldenQuestionSchema, input);
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const question = toRow({ ...fields, key: key ?? fields.question }, engine.now());
    const owner = ownerOf(access);
    const limit = MAX_GOLDEN_QUESTIONS;
    await engine.storage.goldenQuestions.write({ ...owner, questions: [question], existing: "refuse", limit });
    return toStoredQuestion({ ...question, ...owner });
  }

  /**
   * Adds the questions of a file of golden questions as `active` ones, all or none. A question whose `id` is the key of a
   * stored one replaces its text and answers.
   * @param questions At most 2000.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace, `limit_exceeded`
   */
  async import(
    namespace: string,
    questions: readonly GoldenQuestion[],
    options: CallOptions = {},
  ): Promise<GoldenQuestionCounts> {
    const parsed = parseInput(importGoldenQuestionsSchema, { questions });
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const now = engine.now();
    const rows = parsed.questions.map(({ id, question, answers }) =>
      toRow({ key: id ?? question, question, answers, origin: "manual", status: "active" }, now),
    );
    const write = { ...ownerOf(access), questions: rows, existing: "replace", limit: MAX_GOLDEN_QUESTIONS } as const;
    return engine.storage.goldenQuestions.write(write);
  }

  /**
   * Adds questions that were made of something else, except those whose text is the key of a stored one, and those beyond
   * the limit.
   * @internal
   */
  async propose(
    namespace: string,
    questions: readonly GoldenQuestion[],
    made: Pick<StoredGoldenQuestion, "origin" | "status">,
    options: CallOptions,
  ): Promise<GoldenQuestionCounts> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const now = engine.now();
    const rows = questions.map(({ question, answers }) => toRow({ ...made, key: question, question, answers }, now));
    const write = { ...ownerOf(access), questions: rows, existing: "keep", limit: MAX_GOLDEN_QUESTIONS } as const;
    return engine.storage.goldenQuestions.write(write);
  }

  /** @throws KnowledgeBaseError `not_found` */
  async get(namespace: string, id: string, options: CallOptions = {}): Promise<StoredGoldenQuestion> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    return found(await engine.storage.goldenQuestions.get({ ...ownerOf(access), id }), id);
  }

  async list(namespace: string, options: ListGoldenQuestionsOptions = {}): Promise<ListPage<StoredGoldenQuestion>> {
    const { signal, ...input } = options;
    const { statuses, origins, ...request } = parseInput(listGoldenQuestionsSchema, input);
    const { engine, access } = await this.#resolve(namespace, signal);
    const { goldenQuestions } = engine.storage;
    const query = { ...ownerOf(access), statuses, origins };
    return fetchPage(
      `golden questions of ${access.namespaceId}`,
      request,
      (range) => goldenQuestions.list({ ...query, range }),
      (row) => toStoredQuestion(row),
      (range) => goldenQuestions.listSizes({ ...query, range }),
    );
  }

  /** Iterates over all golden questions, fetching one page at a time. */
  iterate(
    namespace: string,
    options: IterateOptions<ListGoldenQuestionsOptions> = {},
  ): AsyncIterable<StoredGoldenQuestion> {
    return iteratePages((cursor) => this.list(namespace, { ...options, cursor }));
  }

  /** Changes the given fields. @throws KnowledgeBaseError `invalid_input`, `not_found` */
  async update(
    namespace: string,
    id: string,
    input: UpdateGoldenQuestionInput,
    options: CallOptions = {},
  ): Promise<StoredGoldenQuestion> {
    const { answers, ...fields } = parseInput(updateGoldenQuestionSchema, input);
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const change = { ...fields, ...(answers && { answers: JSON.stringify(answers) }) };
    const update = { ...ownerOf(access), id, change, now: engine.now() };
    return found(await engine.storage.goldenQuestions.update(update), id);
  }

  /** Deletes and returns a question. @throws KnowledgeBaseError `not_found` */
  async delete(namespace: string, id: string, options: CallOptions = {}): Promise<StoredGoldenQuestion> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    return found(await engine.storage.goldenQuestions.delete({ ...ownerOf(access), id }), id);
  }
}

type NewQuestion = Pick<StoredGoldenQuestion, "key" | "question" | "answers" | "origin" | "status">;

function toRow({ answers, ...fields }: NewQuestion, now: number) {
  return {
    id: newId("gq"),
    ...fields,
    keyDigest: createHash("sha256").update(fields.key).digest("hex"),
    answers: JSON.stringify(answers),
    createdAt: now,
    updatedAt: now,
  };
}

function found(row: Omit<GoldenQuestionRecord, "seq"> | undefined, id: string): StoredGoldenQuestion {
  if (!row) throw notFound("golden question", id);
  return toStoredQuestion(row);
}

function toStoredQuestion(row: Omit<GoldenQuestionRecord, "seq">): StoredGoldenQuestion {
  return {
    id: row.id,
    namespaceId: row.namespaceId,
    tenantId: row.tenantId,
    key: row.key,
    question: row.question,
    answers: JSON.parse(row.answers),
    origin: row.origin,
    status: row.status,
    createdAt: toTimestamp(row.createdAt),
    updatedAt: toTimestamp(row.updatedAt),
  };
}
