import type { WaitKind, WorkSlots } from "./work-slots.js";

/**
 * The work slot of a claimed task. The task holds it from the claim, releases it while all its work waits for the
 * network, and takes one again, in its organization's turn, for the next work.
 */
export class TaskSlot {
  readonly #slots: WorkSlots;
  readonly #organizationId: string;
  readonly #waits: Record<WaitKind, number> = { source: 0, service: 0 };
  #working = 0;
  #isHeld = true;
  #parkedAs: WaitKind | null = null;
  #taking: Promise<void> | null = null;
  #hasEnded = false;

  /** @param slots One of them must be reserved for the task */
  constructor(slots: WorkSlots, organizationId: string) {
    this.#slots = slots;
    this.#organizationId = organizationId;
  }

  /** Whether other tasks of this process wait for the slot. */
  get isWanted(): boolean {
    return this.#isHeld && this.#slots.hasWaiting;
  }

  /**
   * Organizations whose jobs are not claimed whatever this task does; `null` if all can be claimed, so that no job
   * waits for this task.
   */
  get unclaimable(): readonly string[] | null {
    const full = this.#slots.fullOrganizations();
    if (!this.#isHeld && !full.includes(this.#organizationId)) return null;
    return full.filter((organizationId) => organizationId !== this.#organizationId);
  }

  /** Runs work that needs a slot, as soon as the task has one. */
  async work<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    if (!this.#isHeld) await this.#take(signal);
    this.#working++;
    try {
      return await work();
    } finally {
      this.#working--;
      this.#yieldSlot();
    }
  }

  /** Waits for the network, without working. */
  async wait<Result>(kind: WaitKind, wait: () => Promise<Result>): Promise<Result> {
    this.#waits[kind]++;
    this.#yieldSlot();
    try {
      return await wait();
    } finally {
      this.#waits[kind]--;
    }
  }

  /** Waits for the network during work, and continues once the task has a slot again. */
  async pauseWork<Result>(kind: WaitKind, wait: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    this.#working--;
    try {
      const result = await this.wait(kind, wait);
      if (!this.#isHeld) await this.#take(signal);
      return result;
    } finally {
      this.#working++;
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

  /** Takes one slot for all work of the task. Rejects once the task has ended. */
  #take(signal: AbortSignal): Promise<void> {
    this.#taking ??= this.#takeAgain(signal).finally(() => {
      this.#taking = null;
    });
    return this.#taking;
  }

  async #takeAgain(signal: AbortSignal): Promise<void> {
    this.#throwIfEnded();
    await this.#slots.take(this.#organizationId, signal);
    // If the task ended meanwhile, nothing else would release the slot.
    if (this.#hasEnded) this.#slots.release();
    this.#throwIfEnded();
    this.#isHeld = true;
    this.#slots.unpark(this.#organizationId, this.#parkedAs!);
    this.#parkedAs = null;
  }

  #throwIfEnded(): void {
    if (this.#hasEnded) throw new Error("The task has ended: it cannot take a work slot again.");
  }

  /** Deferred, because the next document may start at once and need the slot. */
  #yieldSlot(): void {
    if (this.#canYield) setImmediate(() => this.#park());
  }

  get #canYield(): boolean {
    return this.#isHeld && !this.#hasEnded && this.#working === 0 && this.#waits.source + this.#waits.service > 0;
  }

  #park(): void {
    if (!this.#canYield) return;
    this.#isHeld = false;
    this.#parkedAs = this.#waits.service > 0 ? "service" : "source";
    this.#slots.park(this.#organizationId, this.#parkedAs);
    this.#slots.release();
  }
}
