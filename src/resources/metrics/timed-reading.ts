interface TimedReadingOptions {
  /** How long a caller waits for a reading, in milliseconds. */
  readonly waitMs: number;
  /** The least time between the end of a reading and the next one, in milliseconds. */
  readonly intervalMs: number;
  /** The least time between readings, as a multiple of how long the last one took. */
  readonly intervalFactor: number;
  /** What a caller gets whose wait is over: the value of the last reading, or `null`. */
  readonly whileReading: "last" | "nothing";
}

/** A value that is read at most so often, for several callers at once, none of whom waits for long. */
export class TimedReading<Value> {
  readonly #read: () => Promise<Value>;
  readonly #options: TimedReadingOptions;
  readonly #onError: (error: unknown) => void;
  #value: Value | null = null;
  #dueAt = 0;
  #reading: Promise<void> | null = null;

  constructor(read: () => Promise<Value>, options: TimedReadingOptions, onError: (error: unknown) => void) {
    this.#read = read;
    this.#options = options;
    this.#onError = onError;
  }

  /** Returns the value; `null` if there is none or the last reading failed. Never rejects. */
  async get(): Promise<Value | null> {
    if (performance.now() >= this.#dueAt) this.#reading ??= this.#readNow();
    if (this.#reading === null) return this.#value;
    let timer: NodeJS.Timeout | undefined;
    const isDone = await Promise.race([
      this.#reading.then(() => true),
      new Promise<false>((resolve) => {
        timer = setTimeout(resolve, this.#options.waitMs, false);
      }),
    ]);
    clearTimeout(timer);
    return isDone || this.#options.whileReading === "last" ? this.#value : null;
  }

  async #readNow(): Promise<void> {
    const startedAt = performance.now();
    try {
      this.#value = await this.#read();
    } catch (error) {
      this.#value = null;
      this.#onError(error);
    } finally {
      const { intervalMs, intervalFactor } = this.#options;
      const endedAt = performance.now();
      this.#dueAt = endedAt + Math.max(intervalMs, (endedAt - startedAt) * intervalFactor);
      this.#reading = null;
    }
  }
}
