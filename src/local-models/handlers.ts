/** The operations that a thread offers: each takes one input and gives one output, both cloneable. */
export type Handlers<Operations> = { [Name in keyof Operations]: (input: never) => unknown };

export type Input<Operation> = Operation extends (input: infer Taken) => unknown ? Taken : never;

export type Output<Operation> = Operation extends (input: never) => infer Given ? Awaited<Given> : never;

/** A message from the pool to a thread. */
export interface ThreadRequest {
  readonly operation: string;
  readonly input: unknown;
}

/** A message from a thread: one reply for each request, in order, and events at any time. */
export type ThreadMessage =
  | { readonly kind: "reply"; readonly output: unknown }
  | { readonly kind: "failure"; readonly failure: ThreadFailure }
  | { readonly kind: "event"; readonly event: unknown };

/** An error in a form that keeps its meaning when it is cloned. */
export interface ThreadFailure {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** The message of what caused it; `null` if nothing did. */
  readonly cause: string | null;
}
