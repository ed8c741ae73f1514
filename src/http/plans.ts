import { KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase, Organization } from "../index.js";
import { LruCache } from "../util/lru-cache.js";

type Plan = Pick<Organization, "id" | "plan">;

/** The plans of organizations, looked up once in a while and not for every request. */
export class Plans {
  readonly #kb: KnowledgeBase;
  readonly #known = new LruCache<string, Plan>({ ttlMs: 5000, maxEntries: 10_000 });

  constructor(kb: KnowledgeBase) {
    this.#kb = kb;
  }

  async of(organizationId: string): Promise<Plan> {
    const known = this.#known.get(organizationId);
    if (known) return known;
    const plan = await this.#read(organizationId);
    this.#known.set(organizationId, plan);
    return plan;
  }

  /** One that a host's own authentication names need not be recorded here: it has no plan, and nothing to find either. */
  async #read(id: string): Promise<Plan> {
    try {
      return await this.#kb.organizations.get(id);
    } catch (error) {
      if (KnowledgeBaseError.is(error, "not_found")) return { id, plan: null };
      throw error;
    }
  }
}
