import { newId } from "../domain/ids.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { fetchPage, iteratePages } from "../storage/pagination.js";
import { ownerOf } from "../storage/records/access.js";
import type { ClickRecord } from "../storage/records/clicks.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, ListPage } from "../types.js";
import { addClickSchema } from "../validation/click-schema.js";
import { listSchema } from "../validation/list-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { IterateOptions, ListOptions } from "./namespaces.js";
import { toTimestamp } from "./records.js";

/** The number of clicks that a namespace keeps. */
const MAX_CLICKS = 10_000;

/** What a reader opened among the hits of a search. */
export interface AddClickInput {
  /** The query of the search, 1 to 8000 characters not counting leading and trailing white space. */
  readonly question: string;
  /** The `id` of the hit, 1 to 256 characters, not checked. */
  readonly chunkId: string;
}

/** A stored click. */
export interface Click {
  readonly id: string;
  readonly namespaceId: string;
  /** `null` in the default partition. */
  readonly tenantId: string | null;
  readonly question: string;
  /** The id as it was given. The chunk may no longer exist. */
  readonly chunkId: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Readers' clicks on hits of one organization's namespaces. */
export class Clicks {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /**
   * Stores a click. A namespace keeps the newest 10,000 clicks of all its tenants together; each further one replaces the
   * oldest.
   * @throws KnowledgeBaseError `invalid_input`, `not_found` for the namespace
   */
  async add(namespace: string, input: AddClickInput, options: CallOptions = {}): Promise<Click> {
    const fields = parseInput(addClickSchema, input);
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const click = { id: newId("click"), ...ownerOf(access), ...fields, createdAt: engine.now() };
    await engine.storage.clicks.add({ click, keep: MAX_CLICKS });
    return toClick(click);
  }

  async list(namespace: string, options: ListOptions = {}): Promise<ListPage<Click>> {
    const { signal, ...input } = options;
    const request = parseInput(listSchema, input);
    const { engine, access } = await this.#resolve(namespace, signal);
    return fetchPage(
      `clicks of ${access.namespaceId}`,
      request,
      (range) => engine.storage.clicks.list({ ...ownerOf(access), range }),
      (row) => toClick(row),
    );
  }

  /** Iterates over all clicks, fetching one page at a time. */
  iterate(namespace: string, options: IterateOptions<ListOptions> = {}): AsyncIterable<Click> {
    return iteratePages((cursor) => this.list(namespace, { ...options, cursor }));
  }

  /** Deletes and returns a click. @throws KnowledgeBaseError `not_found` */
  async delete(namespace: string, id: string, options: CallOptions = {}): Promise<Click> {
    const { engine, access } = await this.#resolve(namespace, options.signal);
    const row = await engine.storage.clicks.delete({ ...ownerOf(access), id });
    if (!row) throw notFound("click", id);
    return toClick(row);
  }
}

function toClick(row: Omit<ClickRecord, "seq">): Click {
  const { id, namespaceId, tenantId, question, chunkId } = row;
  return { id, namespaceId, tenantId, question, chunkId, createdAt: toTimestamp(row.createdAt) };
}
