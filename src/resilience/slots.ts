interface Waiting {
  readonly urgent: boolean;
  go(): void;
}

/** Lets a number of calls go on at a time; the others wait in their order, urgent ones before the rest. */
export class Slots {
  #free: number;
  readonly #waiting: Waiting[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Waits for a slot and returns what gives it back. Rejects with the signal's reason when it is aborted before. */
  async take(urgent: boolean, signal?: AbortSignal): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(urgent, signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#waiting.shift();
      if (next) next.go();
      else this.#free++;
    };
  }

  #turn(urgent: boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal?.reason);
      };
      const waiting: Waiting = {
        urgent,
        go() {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      const behind = urgent ? this.#waiting.findIndex((other) => !other.urgent) : -1;
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, waiting);
    });
  }
}
