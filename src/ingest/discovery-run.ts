/** A discovery that runs concurrently with the ingest of the documents that it finds. */
export class DiscoveryRun {
  readonly #run: Promise<void>;
  #outcome: "done" | "paused" | "failed" | null = null;
  #error: unknown = null;
  #found = false;
  #wake: (() => void) | null = null;

  /** @param start Starts the discovery, which calls `onFound` for new documents */
  constructor(start: (onFound: () => void) => Promise<"done" | "paused">) {
    this.#run = start(() => this.#notify()).then(
      (outcome) => {
        this.#outcome = outcome;
        this.#notify();
      },
      (error: unknown) => {
        this.#outcome = "failed";
        this.#error = error;
        this.#notify();
      },
    );
  }

  /** `null` while it runs. */
  get outcome(): "done" | "paused" | "failed" | null {
    return this.#outcome;
  }

  /** The error of a failed discovery. */
  get error(): unknown {
    return this.#error;
  }

  /** Waits until documents were found since the last call, or the discovery has ended. */
  async change(): Promise<void> {
    if (!this.#found && this.#outcome === null) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#found = false;
  }

  /** Resolves when the discovery has ended. Never rejects. */
  ended(): Promise<void> {
    return this.#run;
  }

  #notify(): void {
    this.#found = true;
    this.#wake?.();
    this.#wake = null;
  }
}
