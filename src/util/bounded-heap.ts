/** Keeps the `limit` best items, in a binary heap with the worst first. */
export class BoundedHeap<Item> {
  readonly #limit: number;
  readonly #isWorse: (a: Item, b: Item) => boolean;
  readonly #items: Item[] = [];

  /** @param isWorse A strict order: neither of two equal items is worse. */
  constructor(limit: number, isWorse: (a: Item, b: Item) => boolean) {
    this.#limit = limit;
    this.#isWorse = isWorse;
  }

  /** The kept items: the worst first, then the others in no particular order. */
  get items(): readonly Item[] {
    return this.#items;
  }

  /** The worst kept item, which a new item must beat; `undefined` until the heap is full. */
  get worst(): Item | undefined {
    return this.#items.length < this.#limit ? undefined : this.#items[0];
  }

  add(item: Item): void {
    if (this.#items.length < this.#limit) this.#siftUp(this.#items.push(item) - 1);
    else if (this.#items.length > 0 && this.#isWorse(this.#items[0]!, item)) {
      this.#items[0] = item;
      this.#siftDown();
    }
  }

  #siftUp(from: number): void {
    for (let index = from; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.#isWorse(this.#items[index]!, this.#items[parent]!)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #siftDown(): void {
    for (let index = 0; ; ) {
      let worstIndex = index;
      for (const child of [2 * index + 1, 2 * index + 2])
        if (child < this.#items.length && this.#isWorse(this.#items[child]!, this.#items[worstIndex]!))
          worstIndex = child;
      if (worstIndex === index) return;
      this.#swap(index, worstIndex);
      index = worstIndex;
    }
  }

  #swap(a: number, b: number): void {
    const item = this.#items[a]!;
    this.#items[a] = this.#items[b]!;
    this.#items[b] = item;
  }
}
