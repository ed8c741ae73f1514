import { KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase, Organization } from "../index.js";
import { LruCache } from "../util/lru-cache.js";

type OrganizationPlan = Pick<Organization, "id" | "plan">;

/** Caches the plans of organizations. */
export class PlanCache {
  readonly #kb: KnowledgeBase;
  readonly #cache = new LruCache<string, OrganizationPlan>({ ttlMs: 5000, maxEntries: 10_000 });

  constructor(kb: KnowledgeBase) {
    this.#kb = kb;
  }

  async get(organizationId: string): Promise<OrganizationPlan> {
    const cached = this.#cache.get(organizationId);
    if (cached) return cached;
    const plan = await this.#read(organizationId);
    this.#cache.set(organizationId, plan);
    return plan;
  }

  /** Reads a plan. The host may authenticate an organization that doesn't exist here, which then has no plan. */
  async #read(id: string): Promise<OrganizationPlan> {
    try {
      return await this.#kb.organizations.get(id);
    } catch (error) {
      if (KnowledgeBaseError.is(error, "not_found")) return { id, plan: null };
      throw error;
    }
  }
}
