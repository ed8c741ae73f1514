import { createHash } from "node:crypto";
import type { SearchChoice } from "./choose-search.js";
import type { NearestSearch } from "./nearest-search.js";

const LIFETIME_MS = 60_000;
const MAX_CHOICES = 1000;

/**
 * Remembers for a minute how a scope was searched under a filter: counting may take longer than the search. Meanwhile a
 * search may be exact, or not, for a number of vectors that has just changed.
 */
export class RecentChoices {
  readonly #choices = new Map<string, { readonly choice: SearchChoice; readonly madeAt: number }>();

  /** Returns the recent choice, or makes one. A choice without an index is made anew, since the index is being built. */
  async choose(search: NearestSearch, make: () => Promise<SearchChoice>): Promise<SearchChoice> {
    const key = keyOf(search);
    const known = this.#choices.get(key);
    if (known && performance.now() - known.madeAt < LIFETIME_MS) return known.choice;
    this.#choices.delete(key);
    const choice = await make();
    if (choice !== "not indexed yet") this.#add(key, choice);
    return choice;
  }

  #add(key: string, choice: SearchChoice): void {
    const [oldest] = this.#choices.keys();
    if (this.#choices.size >= MAX_CHOICES) this.#choices.delete(oldest!);
    this.#choices.set(key, { choice, madeAt: performance.now() });
  }
}

/** A digest, since filters may be long. */
function keyOf({ scope, dimensions, condition }: NearestSearch): string {
  return createHash("sha256")
    .update(JSON.stringify([scope, dimensions, condition]))
    .digest("base64");
}
