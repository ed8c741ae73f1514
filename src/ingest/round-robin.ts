import { getOrCreate } from "../util/get-or-create.js";

interface Waiter<Item> {
  readonly item: Item;
  readonly admit: () => void;
}

/** A fair queue of waiting callers: organizations take turns, and each one's callers are served in order of arrival. */
export class RoundRobin<Item> {
  /** By organization, in the order in which the organizations are served. */
  readonly #waiting = new Map<string, Waiter<Item>[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Waits until `next` admits the item. Leaves the queue and rejects with the signal's reason when it is aborted. */
  wait(organizationId: string, item: Item, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = () => {
        this.#remove(organizationId, waiter);
        reject(signal.reason);
      };
      const admit = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const waiter = { item, admit };
      signal.addEventListener("abort", leave, { once: true });
      getOrCreate(this.#waiting, organizationId, () => []).push(waiter);
    });
  }

  /** Admits and returns the first eligible item, if any, and moves its organization to the end. */
  next(isEligible: (item: Item) => boolean = () => true): Item | undefined {
    for (const [organizationId, waiters] of this.#waiting) {
      const first = waiters.find(({ item }) => isEligible(item));
      if (!first) continue;
      this.#waiting.delete(organizationId);
      this.#waiting.set(organizationId, waiters);
      this.#remove(organizationId, first);
      first.admit();
      return first.item;
    }
    return undefined;
  }

  #remove(organizationId: string, waiter: Waiter<Item>): void {
    const waiters = this.#waiting.get(organizationId)!;
    waiters.splice(waiters.indexOf(waiter), 1);
    if (waiters.length === 0) this.#waiting.delete(organizationId);
  }
}
