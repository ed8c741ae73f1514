/**
 * An operation on the records, as a generator over a transaction (`Tx`): `const row = yield* tx.get<Row>(sql, id)`. It
 * yields only to wait for a result, so the same code runs synchronously over SQLite and asynchronously over a database
 * server. A call without `yield*` does nothing; a test checks for such calls.
 */
export type Operation<Result> = Generator<Promise<unknown>, Result, unknown>;

/** The result of one statement, obtained by `yield*`. */
export interface Step<Result> {
  [Symbol.iterator](): Iterator<Promise<unknown>, Result, unknown>;
}
