import type { ParseOptions } from "../../../interfaces/parser.js";

/** Counts the pages whose text has been read or recognised, and reports each change. */
export class PageCounter {
  readonly #total: number;
  readonly #report: ParseOptions["onPages"];
  /** A page may be read, and later be recognised since it has little text. */
  readonly #read = new Set<number>();

  constructor(total: number, report: ParseOptions["onPages"]) {
    this.#total = total;
    this.#report = report;
  }

  add(page: number): void {
    if (this.#read.has(page)) return;
    this.#read.add(page);
    this.#report?.({ read: this.#read.size, total: this.#total });
  }

  /** Adds the pages that have no text to read either. */
  end(): void {
    for (let page = 1; page <= this.#total; page++) this.add(page);
  }
}
