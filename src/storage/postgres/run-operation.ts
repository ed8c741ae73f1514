import type { Operation } from "../operation.js";

/** Runs an operation, waiting for each of its steps. */
export async function runOperation<Result>(operation: Operation<Result>): Promise<Result> {
  let step = operation.next();
  while (!step.done) {
    try {
      const answer = await step.value;
      step = operation.next(answer);
    } catch (error) {
      step = operation.throw(error);
    }
  }
  return step.value;
}
