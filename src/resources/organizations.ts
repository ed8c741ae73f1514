import { DEFAULT_ORGANIZATION } from "../domain/default-organization.js";
import { newId } from "../domain/ids.js";
import type { EngineOpener } from "../engine/engine.js";
import { KnowledgeBaseError } from "../errors.js";
import { fetchPage, iteratePages } from "../storage/pagination.js";
import { notFound } from "../storage/records/not-found.js";
import type { CallOptions, ListPage, Organization, Quota, QuotaInput } from "../types.js";
import { listSchema } from "../validation/list-schema.js";
import { createOrganizationSchema, updateOrganizationSchema } from "../validation/organization-schema.js";
import { parseInput } from "../validation/parse-input.js";
import type { IterateOptions, ListOptions } from "./namespaces.js";
import { type OrganizationUsage, readUsage } from "./read-usage.js";
import { toOrganization } from "./records.js";

export interface CreateOrganizationInput {
  /** @default a random id */
  readonly id?: string | undefined;
  readonly name: string;
  /** The plan whose limits apply; `null` for no limits. @default null */
  readonly plan?: "free" | "pro" | null | undefined;
  /** What the organization may store. @default no limits */
  readonly quota?: QuotaInput | undefined;
}

/** Changes of an organization. Omitted fields, of the quota too, stay as they are. */
export interface UpdateOrganizationInput {
  readonly name?: string | undefined;
  readonly plan?: "free" | "pro" | null | undefined;
  readonly quota?: QuotaInput | undefined;
}

/** Organizations, which own namespaces and API keys. There is always a default organization. */
export class Organizations {
  readonly #open: EngineOpener;

  /** @internal */
  constructor(open: EngineOpener) {
    this.#open = open;
  }

  /** @throws KnowledgeBaseError `conflict` if the id is taken */
  async create(input: CreateOrganizationInput, options: CallOptions = {}): Promise<Organization> {
    const { id = newId("org"), name, plan, quota } = parseInput(createOrganizationSchema, input);
    const engine = await this.#open(options.signal);
    const now = engine.now();
    await engine.storage.organizations.create({ id, name, plan, quota, now });
    const { documents = null, bytes = null, tokens = null } = quota ?? {};
    const limits = { maxDocuments: documents, maxBytes: bytes, maxTokens: tokens };
    return toOrganization({ id, name, plan, createdAt: now, ...limits });
  }

  /** @throws KnowledgeBaseError `not_found` */
  async get(id: string, options: CallOptions = {}): Promise<Organization> {
    const engine = await this.#open(options.signal);
    const row = await engine.storage.organizations.get({ id });
    if (!row) throw notFound("organization", id);
    return toOrganization(row);
  }

  async list(options: ListOptions = {}): Promise<ListPage<Organization>> {
    const { signal, ...input } = options;
    const request = parseInput(listSchema, input);
    const { storage } = await this.#open(signal);
    return fetchPage(
      "organizations",
      request,
      (range) => storage.organizations.list({ range }),
      (row) => toOrganization(row),
    );
  }

  /** Iterates over all organizations, fetching one page at a time. */
  iterate(options: IterateOptions<ListOptions> = {}): AsyncIterable<Organization> {
    return iteratePages((cursor) => this.list({ ...options, cursor }));
  }

  /** Changes the name, the plan or the quota. @throws KnowledgeBaseError `not_found` */
  async update(id: string, patch: UpdateOrganizationInput, options: CallOptions = {}): Promise<Organization> {
    const { name, plan, quota } = parseInput(updateOrganizationSchema, patch);
    const current = await this.get(id, options);
    const { storage } = await this.#open();
    // Writes only the given fields, because another call may be changing the others.
    await storage.organizations.update({ id, name, plan, quota });
    return {
      ...current,
      name: name ?? current.name,
      plan: plan === undefined ? current.plan : plan,
      quota: { ...current.quota, ...definedOnly(quota) },
    };
  }

  /**
   * Returns what an organization stores, and its limits. What is being deleted doesn't count any more.
   * @throws KnowledgeBaseError `not_found`
   */
  async usage(id: string, options: CallOptions = {}): Promise<OrganizationUsage> {
    return readUsage(await this.#open(options.signal), id);
  }

  /**
   * Deletes an organization and its API keys.
   * @throws KnowledgeBaseError `not_found`, or `conflict` while it has namespaces, including namespaces being deleted
   */
  async delete(id: string, options: CallOptions = {}): Promise<Organization> {
    const organization = await this.get(id, options);
    if (id === DEFAULT_ORGANIZATION)
      throw new KnowledgeBaseError("conflict", "The default organization cannot be deleted.");
    const { storage } = await this.#open();
    await storage.organizations.delete({ id });
    return organization;
  }
}

function definedOnly(quota: QuotaInput = {}): Partial<Quota> {
  return Object.fromEntries(Object.entries(quota).filter(([, limit]) => limit !== undefined));
}
