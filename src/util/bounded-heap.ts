/** Keeps the best of all that it is given, so many at the most: a binary heap with the worst of them first. */
export class BoundedHeap<Item> {
  readonly #limit: number;
  readonly #isWorse: (a: Item, b: Item) => boolean;
  readonly #items: Item[] = [];

  /** @param isWorse Whether one item is worse than another; of two equal ones neither is. */
  constructor(limit: number, isWorse: (a: Item, b: Item) => boolean) {
    this.#limit = limit;
    this.#isWorse = isWorse;
  }

  /** What it keeps, in no order but that the worst comes first. */
  get items(): readonly Item[] {
    return this.#items;
  }

  /** The worst that it keeps, once it is full: what is not better is not kept. */
  get worst(): Item | undefined {
    return this.#items.length < this.#limit ? undefined : this.#items[0];
  }

  add(item: Item): void {
    if (this.#items.length < this.#limit) this.#rise(this.#items.push(item) - 1);
    else if (this.#items.length > 0 && this.#isWorse(this.#items[0]!, item)) {
      this.#items[0] = item;
      this.#sink();
    }
  }

  #rise(from: number): void {
    for (let place = from; place > 0; ) {
      const parent = (place - 1) >> 1;
      if (!this.#isWorse(this.#items[place]!, this.#items[parent]!)) return;
      this.#swap(place, parent);
      place = parent;
    }
  }

  #sink(): void {
    for (let place = 0; ; ) {
      let least = place;
      for (const child of [2 * place + 1, 2 * place + 2])
        if (child < this.#items.length && this.#isWorse(this.#items[child]!, this.#items[least]!)) least = child;
      if (least === place) return;
      this.#swap(place, least);
      place = least;
    }
  }

  #swap(a: number, b: number): void {
    const item = this.#items[a]!;
    this.#items[a] = this.#items[b]!;
    this.#items[b] = item;
  }
}
