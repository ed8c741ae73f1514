/** A fair queue: organizations are served in turn, the items of one organization in order of arrival. */
export class RoundRobin<Item> {
  /** By organization, in service order. */
  readonly #waiting = new Map<string, Item[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(organizationId: string, item: Item): void {
    const own = this.#waiting.get(organizationId);
    if (own) own.push(item);
    else this.#waiting.set(organizationId, [item]);
  }

  /**
   * Removes and returns the first eligible item; its organization moves to the end. `undefined` if none is eligible.
   */
  next(isEligible: (item: Item, organizationId: string) => boolean = () => true): Item | undefined {
    for (const [organizationId, items] of this.#waiting) {
      const index = items.findIndex((item) => isEligible(item, organizationId));
      if (index < 0) continue;
      const [item] = items.splice(index, 1);
      this.#waiting.delete(organizationId);
      if (items.length > 0) this.#waiting.set(organizationId, items);
      return item;
    }
    return undefined;
  }

  remove(organizationId: string, item: Item): void {
    const items = this.#waiting.get(organizationId);
    const index = items?.indexOf(item) ?? -1;
    if (!items || index < 0) return;
    items.splice(index, 1);
    if (items.length === 0) this.#waiting.delete(organizationId);
  }
}
