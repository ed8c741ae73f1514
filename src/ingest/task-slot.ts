import type { WaitKind, WorkSlots } from "./work-slots.js";

/**
 * The work slot of a claimed task. The task holds the slot from the claim on, releases it while all its work waits for
 * the network, and takes a slot again, when its organization's turn comes, for the next work.
 */
export class TaskSlot {
  readonly #slots: WorkSlots;
  readonly #organizationId: string;
  readonly #waitCounts: Record<WaitKind, number> = { source: 0, service: 0, receiver: 0 };
  #workingCount = 0;
  #isHeld = true;
  /** What the task waits for without a slot; `null` while it holds one. */
  #parkedAs: WaitKind | null = null;
  #taking: Promise<void> | null = null;
  #hasEnded = false;

  /** @param slots A slot of these must be reserved for the task */
  constructor(slots: WorkSlots, organizationId: string) {
    this.#slots = slots;
    this.#organizationId = organizationId;
  }

  /** Whether other tasks of this process are waiting for the slot. */
  get isWanted(): boolean {
    return this.#isHeld && this.#slots.hasWaiting;
  }

  /** Whether a task that sends to a webhook may be claimed. */
  get hasRoomForDelivery(): boolean {
    return this.#slots.hasRoomForDelivery;
  }

  /**
   * The organizations whose jobs can't be claimed even if this task yields; `null` if no job waits for this task, since
   * it holds no slot and its organization may claim more.
   */
  get unclaimable(): readonly string[] | null {
    const full = this.#slots.fullOrganizations();
    if (!this.#isHeld && !full.includes(this.#organizationId)) return null;
    return full.filter((organizationId) => organizationId !== this.#organizationId);
  }

  /** Runs work that needs a slot, as soon as the task has a slot. */
  async work<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    if (!this.#isHeld) await this.#take(signal);
    this.#workingCount++;
    try {
      return await work();
    } finally {
      this.#workingCount--;
      this.#yieldSlot();
    }
  }

  /** Waits for the network, without working. */
  async wait<Result>(kind: WaitKind, wait: () => Promise<Result>): Promise<Result> {
    this.#waitCounts[kind]++;
    this.#yieldSlot();
    try {
      return await wait();
    } finally {
      this.#waitCounts[kind]--;
    }
  }

  /** Waits for the network during work, and continues once the task has a slot again. */
  async pauseWork<Result>(kind: WaitKind, wait: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    this.#workingCount--;
    try {
      const result = await this.wait(kind, wait);
      if (!this.#isHeld) await this.#take(signal);
      return result;
    } finally {
      this.#workingCount++;
    }
  }

  /** Ends the task and releases its slot. */
  end(): void {
    this.#hasEnded = true;
    const parkedAs = this.#parkedAs;
    this.#parkedAs = null;
    if (parkedAs !== null) this.#slots.unpark(this.#organizationId, parkedAs);
    else if (this.#isHeld) this.#slots.release();
    this.#isHeld = false;
  }

  /** Takes one slot for all concurrent work of the task. Rejects once the task has ended. */
  #take(signal: AbortSignal): Promise<void> {
    this.#taking ??= this.#takeAgain(signal).finally(() => {
      this.#taking = null;
    });
    return this.#taking;
  }

  async #takeAgain(signal: AbortSignal): Promise<void> {
    this.#throwIfEnded();
    await this.#slots.take(this.#organizationId, signal);
    // If the task has ended in the meantime, nothing else would release the slot.
    if (this.#hasEnded) this.#slots.release();
    this.#throwIfEnded();
    this.#isHeld = true;
    this.#slots.unpark(this.#organizationId, this.#parkedAs!);
    this.#parkedAs = null;
  }

  #throwIfEnded(): void {
    if (this.#hasEnded) throw new Error("The task has ended and can't take a work slot again.");
  }

  /** Releases the slot in a later turn of the event loop, because the next document may start at once and need it. */
  #yieldSlot(): void {
    if (this.#canYield) setImmediate(() => this.#park());
  }

  get #canYield(): boolean {
    return this.#isHeld && !this.#hasEnded && this.#workingCount === 0 && this.#waitsFor !== undefined;
  }

  /** What the task waits for; of several, what costs the most. */
  get #waitsFor(): WaitKind | undefined {
    return (["service", "source", "receiver"] as const).find((kind) => this.#waitCounts[kind] > 0);
  }

  #park(): void {
    if (!this.#canYield) return;
    this.#isHeld = false;
    this.#parkedAs = this.#waitsFor!;
    this.#slots.park(this.#organizationId, this.#parkedAs);
    this.#slots.release();
  }
}
