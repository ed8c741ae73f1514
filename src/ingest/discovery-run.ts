/** A discovery that runs concurrently with the ingest of the documents that it finds. */
export class DiscoveryRun {
  /** `null` while the discovery runs. */
  outcome: "done" | "paused" | "failed" | null = null;
  /** The error of a failed discovery. */
  error: unknown = null;
  /** Resolves when the discovery has ended. Never rejects. */
  readonly ended: Promise<void>;
  #hasChanged = false;
  #wake: (() => void) | null = null;

  /** @param start Starts the discovery, which calls `onDocumentsAdded` for new documents */
  constructor(start: (onDocumentsAdded: () => void) => Promise<"done" | "paused">) {
    const end = (outcome: "done" | "paused" | "failed", error: unknown = null) => {
      this.outcome = outcome;
      this.error = error;
      this.#notify();
    };
    this.ended = start(() => this.#notify()).then(end, (error: unknown) => end("failed", error));
  }

  /** Waits until documents have been added since the last call, or the discovery has ended. */
  async waitForChange(): Promise<void> {
    if (!this.#hasChanged && this.outcome === null) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#hasChanged = false;
  }

  #notify(): void {
    this.#hasChanged = true;
    this.#wake?.();
    this.#wake = null;
  }
}
