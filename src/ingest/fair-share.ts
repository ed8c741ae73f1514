export interface FairShareOptions {
  /** Of all organizations together. */
  readonly most: number;
  /** An organization may have what is left divided by this number. */
  readonly divisor: number;
}

/**
 * Counts what organizations hold of something that there is a limited number of. None may have more than a part of what is still left
 * (a dynamic threshold, as switches share their buffers), so that one alone gets many, and there is always some left for the next.
 */
export class FairShare {
  readonly #options: FairShareOptions;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(options: FairShareOptions) {
    this.#options = options;
  }

  /** Whether all are taken. */
  get isExhausted(): boolean {
    return this.#all >= this.#options.most;
  }

  /** One is left for every organization that has none, as long as there are any. */
  hasRoom(organizationId: string): boolean {
    const { most, divisor } = this.#options;
    const share = Math.max(1, Math.floor((most - this.#all) / divisor));
    return this.#all < most && (this.#held.get(organizationId) ?? 0) < share;
  }

  /** Those that hold something and may have no more for now. */
  full(): string[] {
    return [...this.#held.keys()].filter((organizationId) => !this.hasRoom(organizationId));
  }

  add(organizationId: string): void {
    this.#all++;
    this.#held.set(organizationId, (this.#held.get(organizationId) ?? 0) + 1);
  }

  remove(organizationId: string): void {
    this.#all--;
    const left = this.#held.get(organizationId)! - 1;
    if (left > 0) this.#held.set(organizationId, left);
    else this.#held.delete(organizationId);
  }
}
