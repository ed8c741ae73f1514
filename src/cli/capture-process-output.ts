/** Something that wanted to write to the process's outputs. */
export interface Stray {
  readonly kind: "output" | "warning" | "exception";
  /** What was thrown or warned of. */
  readonly error?: unknown;
}

/**
 * Keeps from the process's outputs what any library writes there: to the console, in a worker thread, as a warning of Node or as an exception
 * that nobody catches. An exception still ends the process with code 1.
 */
export function withholdStrays(listener: (stray: Stray) => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = (_text: unknown, ...rest: unknown[]): boolean => {
      listener({ kind: "output" });
      const done = rest.find((argument) => typeof argument === "function");
      if (done) queueMicrotask(done as () => void);
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
