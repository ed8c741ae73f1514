import type { WaitKind, WorkSlots } from "./work-slots.js";

/**
 * The slot of a claimed task. The task has it from the claim on, gives it back while all that goes on in it waits for the network, and
 * takes one again, in its organization's turn, for the next piece of work.
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

  /** @param slots Of which one has been reserved. */
  constructor(slots: WorkSlots, organizationId: string) {
    this.#slots = slots;
    this.#organizationId = organizationId;
  }

  /** Whether it keeps others of this process from going on. */
  get isWanted(): boolean {
    return this.#isHeld && this.#slots.areWanted;
  }

  /**
   * Organizations of which no further job is claimed, whatever this task does; null where all can be, so that none waits for this task.
   */
  get unclaimable(): readonly string[] | null {
    const full = this.#slots.full();
    if (!this.#isHeld && !full.includes(this.#organizationId)) return null;
    return full.filter((organizationId) => organizationId !== this.#organizationId);
  }

  /** Does work that needs a slot, once the task has one. */
  async work<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    if (!this.#isHeld) await this.#take(signal);
    this.#working++;
    try {
      return await work();
    } finally {
      this.#working--;
      this.#giveWay();
    }
  }

  /** Waits for the network, outside of any work. */
  async wait<Result>(kind: WaitKind, wait: () => Promise<Result>): Promise<Result> {
    this.#waits[kind]++;
    this.#giveWay();
    try {
      return await wait();
    } finally {
      this.#waits[kind]--;
    }
  }

  /** Waits for the network in the midst of work, and goes on once the task has a slot again. */
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

  /** The task has ended. */
  end(): void {
    this.#hasEnded = true;
    const parkedAs = this.#parkedAs;
    this.#parkedAs = null;
    if (parkedAs !== null) this.#slots.unpark(this.#organizationId, parkedAs);
    else if (this.#isHeld) this.#slots.release();
    this.#isHeld = false;
  }

  /** Takes a slot again, one for all that goes on in the task. Refused once the task has ended. */
  #take(signal: AbortSignal): Promise<void> {
    this.#taking ??= this.#takeAgain(signal).finally(() => {
      this.#taking = null;
    });
    return this.#taking;
  }

  async #takeAgain(signal: AbortSignal): Promise<void> {
    this.#refuseIfEnded();
    await this.#slots.take(this.#organizationId, signal);
    // The task may have ended in the meantime: nobody else would release the slot.
    if (this.#hasEnded) this.#slots.release();
    this.#refuseIfEnded();
    this.#isHeld = true;
    this.#slots.unpark(this.#organizationId, this.#parkedAs!);
    this.#parkedAs = null;
  }

  #refuseIfEnded(): void {
    if (this.#hasEnded) throw new Error("The task has ended: it cannot take a work slot again.");
  }

  /** Later, as the next document may begin at once: the slot would only change hands. */
  #giveWay(): void {
    if (this.#mayGiveWay) setImmediate(() => this.#park());
  }

  get #mayGiveWay(): boolean {
    return this.#isHeld && !this.#hasEnded && this.#working === 0 && this.#waits.source + this.#waits.service > 0;
  }

  #park(): void {
    if (!this.#mayGiveWay) return;
    this.#isHeld = false;
    this.#parkedAs = this.#waits.service > 0 ? "service" : "source";
    this.#slots.park(this.#organizationId, this.#parkedAs);
    this.#slots.release();
  }
}
