import { FairShare } from "./fair-share.js";
import { RoundRobin } from "./round-robin.js";

/**
 * What a task waits for: a job for a remote source, before parsing, or for a hosted service, with documents in memory; a
 * delivery for the receiver of a webhook.
 */
export type WaitKind = "source" | "service" | "receiver";

/**
 * How many claimed tasks may wait. Each costs some memory and two timers; a job with documents in memory costs much
 * more.
 */
const MAX_WAITING = {
  source: { limit: 256, divisor: 8 },
  service: { limit: 32, divisor: 4 },
  // Counted apart from jobs, so that slow receivers don't delay ingest. The limit of an organization's webhooks bounds
  // its part.
  receiver: { limit: 256, divisor: 1 },
} as const;

/**
 * The few slots for tasks that work, and the counts of the many tasks that wait for the network. A task that continues
 * after a wait takes a slot again; organizations get slots in turn.
 */
export class WorkSlots {
  readonly #waiting = new RoundRobin<string>();
  readonly #parked: Readonly<Record<WaitKind, FairShare>> = {
    source: new FairShare(MAX_WAITING.source),
    service: new FairShare(MAX_WAITING.service),
    receiver: new FairShare(MAX_WAITING.receiver),
  };
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

  /** Whether the next task to claim may be one that sends to a webhook. */
  get hasRoomForDelivery(): boolean {
    return !this.#parked.receiver.isExhausted;
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
