/**
 * An operation on the records, written as a generator over a transaction (`Tx`): `const row = yield* tx.get<Row>(sql,
 * id)`. It yields only where an answer has to be waited for, so one text runs synchronously over SQLite and
 * asynchronously over a database behind a socket. A call without `yield*` does nothing: a test looks for those.
 */
export type Operation<Result> = Generator<Promise<unknown>, Result, unknown>;

/** One statement's answer: `yield*` gives it. */
export interface Step<Result> {
  [Symbol.iterator](): Iterator<Promise<unknown>, Result, unknown>;
}
