/** What waits, served by organization in turn, and within an organization in the order of arrival. */
export class RoundRobin<Item> {
  /** By organization, in the order in which they are served. */
  readonly #waiting = new Map<string, Item[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(organizationId: string, item: Item): void {
    const own = this.#waiting.get(organizationId);
    if (own) own.push(item);
    else this.#waiting.set(organizationId, [item]);
  }

  /** Takes the first item that may go; its organization is served last from then on. Undefined where none may. */
  next(mayGo: (item: Item, organizationId: string) => boolean = () => true): Item | undefined {
    for (const [organizationId, items] of this.#waiting) {
      const place = items.findIndex((item) => mayGo(item, organizationId));
      if (place < 0) continue;
      const [item] = items.splice(place, 1);
      this.#waiting.delete(organizationId);
      if (items.length > 0) this.#waiting.set(organizationId, items);
      return item;
    }
    return undefined;
  }

  remove(organizationId: string, item: Item): void {
    const items = this.#waiting.get(organizationId);
    const place = items?.indexOf(item) ?? -1;
    if (!items || place < 0) return;
    items.splice(place, 1);
    if (items.length === 0) this.#waiting.delete(organizationId);
  }
}
