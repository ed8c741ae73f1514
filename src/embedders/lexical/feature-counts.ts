/** Replaces a hash of 0, since 0 marks a free slot. */
const ZERO_REPLACEMENT = 0x5bd1e995;
const MIN_SLOTS = 1 << 13;
/** A table that a huge text made larger than this is not reused. */
const MAX_REUSED_SLOTS = 1 << 17;

/** Counts a text's features (32-bit hashes) in an open-addressing hash table, which is reused for the next text. */
export class FeatureCounts {
  #hashes = new Int32Array(MIN_SLOTS);
  #counts = new Int32Array(MIN_SLOTS);
  #weights = new Float32Array(MIN_SLOTS);
  #usedSlots = new Int32Array(MIN_SLOTS >> 1);
  #size = 0;

  /** Counts one occurrence of a feature. The feature keeps the weight of its first occurrence. */
  add(hash: number, weight: number): void {
    const key = hash === 0 ? ZERO_REPLACEMENT : hash;
    const slot = this.#slotOf(key);
    if (this.#hashes[slot] === key) {
      this.#counts[slot]! += 1;
      return;
    }
    this.#hashes[slot] = key;
    this.#counts[slot] = 1;
    this.#weights[slot] = weight;
    this.#usedSlots[this.#size++] = slot;
    if (this.#size === this.#usedSlots.length) this.#grow();
  }

  /** Visits every feature once, in the order of first occurrence, and empties the table. */
  drain(visit: (hash: number, count: number, weight: number) => void): void {
    for (let index = 0; index < this.#size; index++) {
      const slot = this.#usedSlots[index]!;
      visit(this.#hashes[slot]!, this.#counts[slot]!, this.#weights[slot]!);
      this.#hashes[slot] = 0;
    }
    this.#size = 0;
    if (this.#hashes.length > MAX_REUSED_SLOTS) this.#allocate(MIN_SLOTS);
  }

  /** Returns the slot that holds a feature, or the free slot where the feature belongs. */
  #slotOf(key: number): number {
    const mask = this.#hashes.length - 1;
    // Fibonacci hashing (Knuth, TAOCP 6.4): the high bits of the product depend on every bit of the key.
    let slot = (Math.imul(key, 0x9e3779b1) >>> 8) & mask;
    while (this.#hashes[slot] !== key && this.#hashes[slot] !== 0) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const hashes = this.#hashes;
    const counts = this.#counts;
    const weights = this.#weights;
    const usedSlots = this.#usedSlots;
    this.#allocate(hashes.length * 4);
    for (let index = 0; index < this.#size; index++) {
      const oldSlot = usedSlots[index]!;
      const newSlot = this.#slotOf(hashes[oldSlot]!);
      this.#hashes[newSlot] = hashes[oldSlot]!;
      this.#counts[newSlot] = counts[oldSlot]!;
      this.#weights[newSlot] = weights[oldSlot]!;
      this.#usedSlots[index] = newSlot;
    }
  }

  #allocate(slotCount: number): void {
    this.#hashes = new Int32Array(slotCount);
    this.#counts = new Int32Array(slotCount);
    this.#weights = new Float32Array(slotCount);
    this.#usedSlots = new Int32Array(slotCount >> 1);
  }
}
