import type { Operation } from "../operation.js";
import type { Tx } from "../tx.js";
import { TRANSFER_TABLES } from "./tables.js";

/** The last number that a table has given to a row, which may be gone. */
export interface Counter {
  readonly table: string;
  readonly last: number;
}

/** Reads the counters of all numbered tables. */
export function* readCounters(tx: Tx): Operation<readonly Counter[]> {
  const counters: Counter[] = [];
  for (const { name, key, isNumbered } of TRANSFER_TABLES) {
    if (!isNumbered) continue;
    const { last } = (yield* tx.get<{ last: number | null }>(`SELECT ${tx.dialect.counter(name, key[0]!)} AS last`))!;
    if (last !== null) counters.push({ table: name, last });
  }
  return counters;
}

/** Sets counters, so that numbers of removed rows are not given again. */
export function* writeCounters(tx: Tx, { counters }: { readonly counters: readonly Counter[] }): Operation<void> {
  for (const { table, last } of counters) {
    const { key } = TRANSFER_TABLES.find(({ name }) => name === table)!;
    yield* tx.run(tx.dialect.setCounter(table, key[0]!), last);
  }
}
