export interface CountdownLimits {
  /** Without progress, in milliseconds. */
  readonly silenceMs: number;
  /** In all, in milliseconds. */
  readonly totalMs: number;
}

/** A time limit that starts again with progress, within a total. It can be halted: what somebody else takes is not counted. */
export class Countdown {
  readonly #limits: CountdownLimits;
  readonly #onEnd: (limitMs: number) => void;
  #silenceLeftMs: number;
  #totalLeftMs: number;
  #since = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param onEnd Called with the limit that was reached. */
  constructor(limits: CountdownLimits, onEnd: (limitMs: number) => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
    this.#silenceLeftMs = limits.silenceMs;
    this.#totalLeftMs = limits.totalMs;
    this.start();
  }

  start(): void {
    if (this.#timer) return;
    this.#since = performance.now();
    const isSilence = this.#silenceLeftMs <= this.#totalLeftMs;
    const leftMs = isSilence ? this.#silenceLeftMs : this.#totalLeftMs;
    const limitMs = isSilence ? this.#limits.silenceMs : this.#limits.totalMs;
    this.#timer = setTimeout(() => this.#onEnd(limitMs), Math.max(0, leftMs));
  }

  halt(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    const elapsedMs = performance.now() - this.#since;
    this.#silenceLeftMs -= elapsedMs;
    this.#totalLeftMs -= elapsedMs;
  }

  /** The limit without progress starts again; a halted countdown stays halted. */
  progress(): void {
    const isRunning = this.#timer !== null;
    this.halt();
    this.#silenceLeftMs = this.#limits.silenceMs;
    if (isRunning) this.start();
  }
}
