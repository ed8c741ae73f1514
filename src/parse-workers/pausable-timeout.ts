export interface TimeoutLimits {
  /** Time limit without progress, in milliseconds. */
  readonly idleMs: number;
  /** Limit on the total time, in milliseconds. */
  readonly totalMs: number;
}

/** Combines an idle timeout, which progress restarts, with a total timeout. Neither counts time spent paused. */
export class PausableTimeout {
  readonly #limits: TimeoutLimits;
  readonly #onTimeout: (limitMs: number) => void;
  #remainingIdleMs: number;
  #remainingTotalMs: number;
  #resumedAt = 0;
  #timer: NodeJS.Timeout | null = null;

  /** @param onTimeout Called with the limit that was reached, in milliseconds. */
  constructor(limits: TimeoutLimits, onTimeout: (limitMs: number) => void) {
    this.#limits = limits;
    this.#onTimeout = onTimeout;
    this.#remainingIdleMs = limits.idleMs;
    this.#remainingTotalMs = limits.totalMs;
    this.resume();
  }

  resume(): void {
    if (this.#timer) return;
    this.#resumedAt = performance.now();
    const isIdleFirst = this.#remainingIdleMs <= this.#remainingTotalMs;
    const remainingMs = isIdleFirst ? this.#remainingIdleMs : this.#remainingTotalMs;
    const limitMs = isIdleFirst ? this.#limits.idleMs : this.#limits.totalMs;
    this.#timer = setTimeout(() => this.#onTimeout(limitMs), Math.max(0, remainingMs));
  }

  pause(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    const elapsedMs = performance.now() - this.#resumedAt;
    this.#remainingIdleMs -= elapsedMs;
    this.#remainingTotalMs -= elapsedMs;
  }

  /** Restarts the idle timeout; a paused timeout stays paused. */
  restartIdle(): void {
    const isRunning = this.#timer !== null;
    this.pause();
    this.#remainingIdleMs = this.#limits.idleMs;
    if (isRunning) this.resume();
  }
}
