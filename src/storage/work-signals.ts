/** Tells workers of other processes that tasks were added. A hint: workers look at the queue from time to time anyway. */
export interface WorkSignals {
  /** Tells them, soon. */
  send(): void;
  /** Calls a listener when a process has told so, until the returned object is disposed. */
  listen(listener: () => void): Disposable;
}
