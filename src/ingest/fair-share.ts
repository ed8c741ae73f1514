export interface FairShareOptions {
  /** The capacity that all organizations share. */
  readonly limit: number;
  /** An organization may hold the free capacity divided by this number. */
  readonly divisor: number;
}

/**
 * Shares a limited capacity among organizations. Each may hold at most a part of the free capacity (a dynamic
 * threshold, as in shared switch buffers), so that a single organization gets much of it, and some is left for the
 * next.
 */
export class FairShare {
  readonly #options: FairShareOptions;
  readonly #heldBy = new Map<string, number>();
  #total = 0;

  constructor(options: FairShareOptions) {
    this.#options = options;
  }

  /** Whether all capacity is used. */
  get isExhausted(): boolean {
    return this.#total >= this.#options.limit;
  }

  /** Whether the organization may hold more. While capacity is left, each organization may hold at least one unit. */
  hasRoom(organizationId: string): boolean {
    const { limit, divisor } = this.#options;
    const share = Math.max(1, Math.floor((limit - this.#total) / divisor));
    return this.#total < limit && (this.#heldBy.get(organizationId) ?? 0) < share;
  }

  /** Returns the organizations that hold capacity and can't get more for now. */
  fullOrganizations(): string[] {
    return [...this.#heldBy.keys()].filter((organizationId) => !this.hasRoom(organizationId));
  }

  add(organizationId: string): void {
    this.#total++;
    this.#heldBy.set(organizationId, (this.#heldBy.get(organizationId) ?? 0) + 1);
  }

  remove(organizationId: string): void {
    this.#total--;
    const remaining = this.#heldBy.get(organizationId)! - 1;
    if (remaining > 0) this.#heldBy.set(organizationId, remaining);
    else this.#heldBy.delete(organizationId);
  }
}
