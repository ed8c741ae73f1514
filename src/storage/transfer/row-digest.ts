import { createHash } from "node:crypto";
import type { SqlValue } from "../sql-value.js";

/** The numbers of 32 bits in a SHA-256. */
const LANES = 8;

/**
 * The digest of a set of rows: the sum of their SHA-256, number by number. It doesn't depend on the order of the rows,
 * which engines sort differently, and the digests of parts can be added.
 */
export class RowDigest {
  readonly #lanes: Uint32Array;
  #rows: number;

  constructor({ rows, lanes }: DigestState = { rows: 0, lanes: [] }) {
    this.#rows = rows;
    this.#lanes = new Uint32Array(LANES);
    this.#lanes.set(lanes);
  }

  get rows(): number {
    return this.#rows;
  }

  /** @param values The values of one row, in the order of the table's columns. */
  addRow(values: readonly SqlValue[]): void {
    const hash = createHash("sha256");
    for (const value of values) {
      const bytes = canonicalBytes(value);
      hash.update(`${kindOf(value)}${bytes.length}:`).update(bytes);
    }
    const digest = hash.digest();
    this.#addLanes(Array.from({ length: LANES }, (_, lane) => digest.readUInt32BE(lane * 4)));
    this.#rows++;
  }

  add({ rows, lanes }: DigestState): void {
    this.#addLanes(lanes);
    this.#rows += rows;
  }

  /** What can be sent to another thread. */
  get state(): DigestState {
    return { rows: this.#rows, lanes: [...this.#lanes] };
  }

  /** In hex. */
  toString(): string {
    return [...this.#lanes].map((lane) => lane.toString(16).padStart(8, "0")).join("");
  }

  #addLanes(lanes: readonly number[]): void {
    for (const [index, lane] of lanes.entries()) this.#lanes[index]! += lane;
  }
}

export interface DigestState {
  readonly rows: number;
  readonly lanes: readonly number[];
}

function kindOf(value: SqlValue): string {
  if (value === null) return "null";
  return typeof value === "object" ? "bytes" : typeof value;
}

function canonicalBytes(value: SqlValue): Uint8Array {
  if (value === null) return new Uint8Array(0);
  return typeof value === "object" ? value : Buffer.from(String(value));
}
