import { FairShare } from "./fair-share.js";
import { RoundRobin } from "./round-robin.js";

/** What a job waits for: a remote source (before parsing), or a hosted service (with documents in memory). */
export type WaitKind = "source" | "service";

/**
 * How many claimed jobs may wait. Each costs some memory and two timers; one with documents in memory costs much more.
 */
const MAX_WAITING = { source: { limit: 256, divisor: 8 }, service: { limit: 32, divisor: 4 } } as const;

/**
 * The few slots of tasks that work, and the count of tasks that wait for the network, of which there may be many. A
 * task that continues after a wait takes a slot again; organizations get them in turn.
 */
export class WorkSlots {
  readonly #waiting = new RoundRobin<string>();
  readonly #parked = { source: new FairShare(MAX_WAITING.source), service: new FairShare(MAX_WAITING.service) };
  readonly #onFree: () => void;
  #freeCount: number;

  /** @param onFree Called when a slot, or capacity for a waiting task, becomes free */
  constructor(count: number, onFree: () => void) {
    this.#freeCount = count;
    this.#onFree = onFree;
  }

  /** Whether another task may be claimed. */
  get hasRoom(): boolean {
    return this.#freeCount > 0 && !this.#parked.source.isExhausted && !this.#parked.service.isExhausted;
  }

  /** Whether a task of this process has ended its wait and needs a slot. */
  get hasWaiting(): boolean {
    return !this.#waiting.isEmpty;
  }

  /** Organizations with too many waiting jobs to claim more. */
  fullOrganizations(): string[] {
    return [...new Set([...this.#parked.source.fullOrganizations(), ...this.#parked.service.fullOrganizations()])];
  }

  /** Takes a free slot for a task that is about to be claimed. */
  reserve(): void {
    this.#freeCount--;
  }

  /** Returns a reserved slot, because there is no task. */
  cancel(): void {
    this.#freeCount++;
  }

  /** Gives a free slot to the next task that has ended its wait. Returns false if there is no slot or no such task. */
  grantNext(): boolean {
    if (this.#freeCount === 0 || this.#waiting.next() === undefined) return false;
    this.#freeCount--;
    return true;
  }

  release(): void {
    this.#freeCount++;
    this.#onFree();
  }

  /** Counts a task that released its slot and waits. */
  park(organizationId: string, kind: WaitKind): void {
    this.#parked[kind].add(organizationId);
  }

  unpark(organizationId: string, kind: WaitKind): void {
    this.#parked[kind].remove(organizationId);
    this.#onFree();
  }

  /** Waits for a slot. Rejects with the signal's reason when it is aborted. */
  take(organizationId: string, signal: AbortSignal): Promise<void> {
    const turn = this.#waiting.wait(organizationId, organizationId, signal);
    this.#onFree();
    return turn;
  }
}
