import type { LiveRows } from "./live-rows.js";

const MOST = 0xffff;

/** Which rows contain a term, and how often each does. Rows that died since are still in it. */
export class Postings {
  size = 0;
  /** Rows with a number below this have been looked at. */
  upTo = 0;
  #numbers: Uint32Array;
  #counts: Uint16Array;
  /** How many of its rows were alive when so many had died. */
  #alive = { rows: 0, size: 0, deaths: -1 };

  constructor(capacity: number) {
    this.#numbers = new Uint32Array(capacity);
    this.#counts = new Uint16Array(capacity);
  }

  get numbers(): Uint32Array {
    return this.#numbers;
  }

  get counts(): Uint16Array {
    return this.#counts;
  }

  get bytes(): number {
    return this.#numbers.length * 6 + 200;
  }

  add(number: number, count: number): void {
    if (this.size === this.#numbers.length) this.#grow();
    this.#numbers[this.size] = number;
    this.#counts[this.size] = Math.min(count, MOST);
    this.size++;
  }

  /** How many live rows contain the term; counted again only where rows came or died. */
  aliveRows({ alive }: LiveRows, deaths: number): number {
    const known = this.#alive;
    if (known.deaths === deaths && known.size === this.size) return known.rows;
    let rows = 0;
    for (let index = 0; index < this.size; index++) rows += alive[this.#numbers[index]!]!;
    this.#alive = { rows, size: this.size, deaths };
    return rows;
  }

  #grow(): void {
    const numbers = new Uint32Array(Math.max(8, this.size * 2));
    const counts = new Uint16Array(numbers.length);
    numbers.set(this.#numbers);
    counts.set(this.#counts);
    this.#numbers = numbers;
    this.#counts = counts;
  }
}
