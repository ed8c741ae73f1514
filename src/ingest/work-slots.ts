import { FairShare } from "./fair-share.js";
import { RoundRobin } from "./round-robin.js";

/** What a job waits for: a source outside (its documents are hardly begun), or a hosted service (they are in memory). */
export type WaitKind = "source" | "service";

/** Jobs that may be claimed and wait. Each costs some memory and two timers; with documents in memory it costs much more. */
const MOST_WAITING = { source: { most: 256, divisor: 8 }, service: { most: 32, divisor: 4 } } as const;

/**
 * The places of tasks that do work, of which there are few, and the count of those that wait for the network instead, of which there may be
 * many. Whoever has waited and goes on takes a slot again; organizations get them in turn.
 */
export class WorkSlots {
  readonly #waiting = new RoundRobin<() => void>();
  readonly #parked = { source: new FairShare(MOST_WAITING.source), service: new FairShare(MOST_WAITING.service) };
  readonly #onFree: () => void;
  #free: number;

  /** @param onFree Is called when a slot, or room for one that waits, has become free. */
  constructor(count: number, onFree: () => void) {
    this.#free = count;
    this.#onFree = onFree;
  }

  /** Whether a further task may be claimed. */
  get hasRoom(): boolean {
    return this.#free > 0 && !this.#parked.source.isExhausted && !this.#parked.service.isExhausted;
  }

  /** Whether a task of this process that has waited wants to go on. */
  get areWanted(): boolean {
    return !this.#waiting.isEmpty;
  }

  /** Organizations of which so many jobs wait that no further one is to be claimed. */
  full(): string[] {
    return [...new Set([...this.#parked.source.full(), ...this.#parked.service.full()])];
  }

  /** Takes a free slot for a task that is about to be claimed. */
  reserve(): void {
    this.#free--;
  }

  /** Puts back what was reserved, as there is no task. */
  cancel(): void {
    this.#free++;
  }

  /** Gives a free slot to a task that has waited and wants to go on. Returns false where there is none of either. */
  handOut(): boolean {
    if (this.#free === 0) return false;
    const next = this.#waiting.next();
    if (next === undefined) return false;
    this.#free--;
    next();
    return true;
  }

  release(): void {
    this.#free++;
    this.#onFree();
  }

  /** Counts a task that has given its slot back and waits. */
  park(organizationId: string, kind: WaitKind): void {
    this.#parked[kind].add(organizationId);
  }

  unpark(organizationId: string, kind: WaitKind): void {
    this.#parked[kind].remove(organizationId);
    this.#onFree();
  }

  /** Waits for a slot. Rejects with the signal's reason when it is aborted before. */
  take(organizationId: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = () => {
        this.#waiting.remove(organizationId, go);
        reject(signal.reason);
      };
      const go = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(organizationId, go);
      this.#onFree();
    });
  }
}
