/** A discovery that goes on beside the ingest of what it finds. */
export class DiscoveryRun {
  readonly #run: Promise<void>;
  #outcome: "done" | "paused" | "failed" | null = null;
  #error: unknown = null;
  #found = false;
  #wake: (() => void) | null = null;

  /** @param start Is given what to call whenever something was found. */
  constructor(start: (onFound: () => void) => Promise<"done" | "paused">) {
    this.#run = start(() => this.#sign()).then(
      (outcome) => {
        this.#outcome = outcome;
        this.#sign();
      },
      (error: unknown) => {
        this.#outcome = "failed";
        this.#error = error;
        this.#sign();
      },
    );
  }

  /** Null while it goes on. */
  get outcome(): "done" | "paused" | "failed" | null {
    return this.#outcome;
  }

  /** What it failed with. */
  get error(): unknown {
    return this.#error;
  }

  /** Waits until something has been found since the last wait, or until it has ended. */
  async change(): Promise<void> {
    if (!this.#found && this.#outcome === null) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#found = false;
  }

  /** Waits for its end, which it doesn't bring about; never fails. */
  ended(): Promise<void> {
    return this.#run;
  }

  #sign(): void {
    this.#found = true;
    this.#wake?.();
    this.#wake = null;
  }
}
