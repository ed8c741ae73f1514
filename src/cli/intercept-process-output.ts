/** A write to stdout or stderr, a Node warning or an uncaught exception. */
export interface ProcessOutputEvent {
  readonly kind: "output" | "warning" | "exception";
  /** The warning or the uncaught exception; absent for a write. */
  readonly error?: unknown;
}

/**
 * Suppresses writes to stdout and stderr, including those of libraries and worker threads, and reports each write, Node
 * warning and uncaught exception to the listener. An uncaught exception still ends the process with code 1.
 */
export function interceptProcessOutput(listener: (event: ProcessOutputEvent) => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = (_text: unknown, ...rest: unknown[]): boolean => {
      listener({ kind: "output" });
      const callback = rest.find((argument) => typeof argument === "function");
      if (callback) queueMicrotask(callback as () => void);
      return true;
    };
  }
  process.removeAllListeners("warning");
  process.on("warning", (error) => listener({ kind: "warning", error }));
  process.on("uncaughtException", (error) => {
    listener({ kind: "exception", error });
    process.exit(1);
  });
}
