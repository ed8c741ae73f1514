import { KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase, Organization } from "../index.js";
import { LruCache } from "../util/lru-cache.js";

type Plan = Pick<Organization, "id" | "plan">;

/** Caches the plans of organizations. */
export class Plans {
  readonly #kb: KnowledgeBase;
  readonly #cache = new LruCache<string, Plan>({ ttlMs: 5000, maxEntries: 10_000 });

  constructor(kb: KnowledgeBase) {
    this.#kb = kb;
  }

  async get(organizationId: string): Promise<Plan> {
    const cached = this.#cache.get(organizationId);
    if (cached) return cached;
    const plan = await this.#read(organizationId);
    this.#cache.set(organizationId, plan);
    return plan;
  }

  /** The host's authentication may name an organization that doesn't exist here: it then has no plan. */
  async #read(id: string): Promise<Plan> {
    try {
      return await this.#kb.organizations.get(id);
    } catch (error) {
      if (KnowledgeBaseError.is(error, "not_found")) return { id, plan: null };
      throw error;
    }
  }
}
