import { FairShare, type FairShareOptions } from "./fair-share.js";
import { RoundRobin } from "./round-robin.js";

export interface FairLimiterOptions extends FairShareOptions {
  /** The maximum number of concurrent calls per organization and origin. */
  readonly perOrigin: number;
}

export interface FairRequest {
  readonly organizationId: string;
  /** The origin as in `URL.origin`. */
  readonly origin: string;
}

/**
 * Limits concurrent remote calls. Organizations are served in turn, and a single origin gets only part of an
 * organization's share.
 */
export class FairLimiter {
  readonly #perOrigin: number;
  readonly #share: FairShare;
  readonly #countByOrigin = new Map<string, number>();
  readonly #waiting = new RoundRobin<FairRequest>();

  constructor({ perOrigin, ...share }: FairLimiterOptions) {
    this.#perOrigin = perOrigin;
    this.#share = new FairShare(share);
  }

  /** Whether any request is waiting for a slot. */
  get hasWaiting(): boolean {
    return !this.#waiting.isEmpty;
  }

  /** Waits for a slot and returns a function that releases it. Rejects with the signal's reason when it is aborted. */
  async acquire(request: FairRequest, signal: AbortSignal): Promise<() => void> {
    const turn = this.#waiting.wait(request.organizationId, request, signal);
    this.#serve();
    await turn;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#share.remove(request.organizationId);
      this.#addToCount(request, -1);
      this.#serve();
    };
  }

  #serve(): void {
    const isEligible = (request: FairRequest) =>
      this.#share.hasRoom(request.organizationId) && (this.#countByOrigin.get(keyOf(request)) ?? 0) < this.#perOrigin;
    for (let next = this.#waiting.next(isEligible); next !== undefined; next = this.#waiting.next(isEligible)) {
      this.#share.add(next.organizationId);
      this.#addToCount(next, 1);
    }
  }

  #addToCount(request: FairRequest, change: number): void {
    const key = keyOf(request);
    const count = (this.#countByOrigin.get(key) ?? 0) + change;
    if (count > 0) this.#countByOrigin.set(key, count);
    else this.#countByOrigin.delete(key);
  }
}

function keyOf({ organizationId, origin }: FairRequest): string {
  return JSON.stringify([organizationId, origin]);
}
