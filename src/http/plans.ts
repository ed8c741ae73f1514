import { KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase, Organization } from "../index.js";

/** How long an organization's plan is believed. */
const CACHE_MS = 5000;
const CACHE_SIZE = 10_000;

type Plan = Pick<Organization, "id" | "plan">;

/** The plans of organizations, looked up once in a while and not for every request. */
export class Plans {
  readonly #kb: KnowledgeBase;
  readonly #known = new Map<string, { readonly plan: Plan; readonly until: number }>();

  constructor(kb: KnowledgeBase) {
    this.#kb = kb;
  }

  async of(organizationId: string): Promise<Plan> {
    const cached = this.#known.get(organizationId);
    if (cached && performance.now() < cached.until) return cached.plan;
    const plan = await this.#read(organizationId);
    this.#known.delete(organizationId);
    if (this.#known.size >= CACHE_SIZE) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(organizationId, { plan, until: performance.now() + CACHE_MS });
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
