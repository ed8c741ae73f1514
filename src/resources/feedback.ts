import { newId } from "../domain/ids.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { fetchPage, iteratePages } from "../storage/pagination.js";
import { ownerOf } from "../storage/records/access.js";
import type { FeedbackRecord } from "../storage/records/feedback.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, ListPage } from "../types.js";
import { addFeedbackSchema, listFeedbackSchema } from "../validation/feedback-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { IterateOptions, ListOptions } from "./namespaces.js";
import { toTimestamp } from "./records.js";

/** The number of ratings that a namespace keeps. */
const MAX_FEEDBACK = 10_000;

/** A reader's rating of an answer. */
export interface AddFeedbackInput {
  /** The question as the reader asked it, 1 to 8000 characters not counting leading and trailing white space. */
  readonly question: string;
  /** The answer that was shown, 1 to 20,000 characters. */
  readonly answer: string;
  readonly rating: "up" | "down";
  /** At most 2000 characters. @default null */
  readonly comment?: string | null | undefined;
  /** Ids of the chunks that the answer cites: at most 100, 1 to 256 characters each, not checked. @default [] */
  readonly chunkIds?: readonly string[] | undefined;
}

/** The stored rating of an answer. */
export interface Feedback {
  readonly id: string;
  readonly namespaceId: string;
  /** `null` in the default partition. */
  readonly tenantId: string | null;
  readonly question: string;
  readonly answer: string;
  readonly rating: "up" | "down";
  readonly comment: string | null;
  /** The ids as they were given. The chunks may no longer exist. */
  readonly chunkIds: readonly string[];
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Options for listing feedback. */
export interface ListFeedbackOptions extends ListOptions {
  /** Lists only feedback with this rating. @default both */
  readonly rating?: "up" | "down" | undefined;
}

/** Readers' ratings of the answers from one organization's namespaces. */
export class FeedbackResource {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /**
   * Stores a rating. A namespace keeps the newest 10,000 ratings of all its tenants together; each further rating
   * replaces the oldest one.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace
   */
  async add(namespace: string, input: AddFeedbackInput, options: CallOptions = {}): Promise<Feedback> {
    const { chunkIds, ...fields } = parseInput(addFeedbackSchema, input);
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const feedback = {
      id: newId("fb"),
      ...ownerOf(access),
      ...fields,
      chunkIds: JSON.stringify(chunkIds),
      createdAt: engine.now(),
    };
    await engine.storage.feedback.add({ feedback, keep: MAX_FEEDBACK });
    return toFeedback(feedback);
  }

  async list(namespace: string, options: ListFeedbackOptions = {}): Promise<ListPage<Feedback>> {
    const { signal, ...input } = options;
    const { rating, ...request } = parseInput(listFeedbackSchema, input);
    const { engine, access } = await this.#resolve(namespace, signal);
    return fetchPage(
      `feedback of ${access.namespaceId}`,
      request,
      (range) => engine.storage.feedback.list({ ...ownerOf(access), rating, range }),
      (row) => toFeedback(row),
    );
  }

  /** Iterates over all feedback, fetching one page at a time. */
  iterate(namespace: string, options: IterateOptions<ListFeedbackOptions> = {}): AsyncIterable<Feedback> {
    return iteratePages((cursor) => this.list(namespace, { ...options, cursor }));
  }

  /** Deletes and returns feedback. @throws KnowledgeBaseError `not_found` */
  async delete(namespace: string, id: string, options: CallOptions = {}): Promise<Feedback> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const row = await engine.storage.feedback.delete({ ...ownerOf(access), id });
    if (!row) throw notFound("feedback", id);
    return toFeedback(row);
  }
}

function toFeedback(row: Omit<FeedbackRecord, "seq">): Feedback {
  return {
    id: row.id,
    namespaceId: row.namespaceId,
    tenantId: row.tenantId,
    question: row.question,
    answer: row.answer,
    rating: row.rating,
    comment: row.comment,
    chunkIds: JSON.parse(row.chunkIds),
    createdAt: toTimestamp(row.createdAt),
  };
}
