import { createHash } from "node:crypto";
import type { SearchChoice } from "./choose-search.js";
import type { NearestSearch } from "./nearest-search.js";

const LIFETIME_MS = 60_000;
/** Of a choice without an index, which is being built. */
const UNINDEXED_LIFETIME_MS = 10_000;
const MAX_CHOICES = 1000;

/**
 * Remembers for a minute how a scope was searched under a filter: counting may take longer than the search. Meanwhile a
 * search may be exact, or not, for a number of vectors that has just changed.
 */
export class RecentChoices {
  readonly #choices = new Map<string, { readonly choice: SearchChoice; readonly endsAt: number }>();

  /** Returns the recent choice, or makes one. */
  async choose(search: NearestSearch, make: () => Promise<SearchChoice>): Promise<SearchChoice> {
    const key = keyOf(search);
    const known = this.#choices.get(key);
    if (known && performance.now() < known.endsAt) return known.choice;
    this.#choices.delete(key);
    const choice = await make();
    this.#add(key, choice);
    return choice;
  }

  /** Forgets the choices without an index, after one has been built. */
  forgetUnindexed(): void {
    for (const [key, { choice }] of this.#choices) if (choice === "not indexed yet") this.#choices.delete(key);
  }

  #add(key: string, choice: SearchChoice): void {
    const [oldest] = this.#choices.keys();
    if (this.#choices.size >= MAX_CHOICES) this.#choices.delete(oldest!);
    const lifetimeMs = choice === "not indexed yet" ? UNINDEXED_LIFETIME_MS : LIFETIME_MS;
    this.#choices.set(key, { choice, endsAt: performance.now() + lifetimeMs });
  }
}

/** A digest, since filters may be long. */
function keyOf({ scope, dimensions, condition }: NearestSearch): string {
  return createHash("sha256")
    .update(JSON.stringify([scope, dimensions, condition]))
    .digest("base64");
}
