/** One statement's answer: `yield*` gives it. */
export interface Step<Result> {
  [Symbol.iterator](): Iterator<Promise<unknown>, Result, unknown>;
}
