import type { Step } from "../operation.js";

/** A step with an immediate result. The iterator is its own last result, which saves two objects per statement. */
export class ImmediateStep<Result> implements Step<Result> {
  readonly done = true;
  readonly value: Result;

  constructor(value: Result) {
    this.value = value;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): this {
    return this;
  }
}
