import { FairShare } from "./fair-share.js";
import { RoundRobin } from "./round-robin.js";

/** What a job waits for: a remote source, before parsing, or a hosted service, with documents in memory. */
export type WaitKind = "source" | "service";

/**
 * How many claimed jobs may wait. Each costs some memory and two timers; a job with documents in memory costs much
 * more.
 */
const MAX_WAITING = { source: { limit: 256, divisor: 8 }, service: { limit: 32, divisor: 4 } } as const;

/**
 * The few slots for tasks that work, and the counts of the many tasks that wait for the network. A task that continues
 * after a wait takes a slot again; organizations get slots in turn.
 */
export class WorkSlots {
  readonly #waiting = new RoundRobin<string>();
  readonly #parked = { source: new FairShare(MAX_WAITING.source), service: new FairShare(MAX_WAITING.service) };
  readonly #onChange: () => void;
  #freeCount: number;

  /** @param onChange Called when a slot or capacity for a waiting task is freed, or a task needs a slot again */
  constructor(count: number, onChange: () => void) {
    this.#freeCount = count;
    this.#onChange = onChange;
  }

  /** Whether another task may be claimed. */
  get hasRoom(): boolean {
    return this.#freeCount > 0 && !this.#parked.source.isExhausted && !this.#parked.service.isExhausted;
  }

  /** Whether a task of this process has finished its wait and needs a slot again. */
  get hasWaiting(): boolean {
    return !this.#waiting.isEmpty;
  }

  /** Returns the organizations that have too many waiting jobs to claim more. */
  fullOrganizations(): string[] {
    return [...new Set([...this.#parked.source.fullOrganizations(), ...this.#parked.service.fullOrganizations()])];
  }

  /** Takes a free slot for a task that is about to be claimed. */
  reserve(): void {
    this.#freeCount--;
  }

  /** Gives back a reserved slot because there is no task to claim. */
  cancelReservation(): void {
    this.#freeCount++;
  }

  /** Gives a free slot to the next task that needs one again. Returns false without a free slot or such a task. */
  grantNext(): boolean {
    if (this.#freeCount === 0 || this.#waiting.next() === undefined) return false;
    this.#freeCount--;
    return true;
  }

  release(): void {
    this.#freeCount++;
    this.#onChange();
  }

  /** Counts a task that has released its slot and waits. */
  park(organizationId: string, kind: WaitKind): void {
    this.#parked[kind].add(organizationId);
  }

  unpark(organizationId: string, kind: WaitKind): void {
    this.#parked[kind].remove(organizationId);
    this.#onChange();
  }

  /** Waits for a slot. Rejects with the signal's reason when it is aborted. */
  take(organizationId: string, signal: AbortSignal): Promise<void> {
    const turn = this.#waiting.wait(organizationId, organizationId, signal);
    this.#onChange();
    return turn;
  }
}
