import { createHash } from "node:crypto";

/** Hexadecimal digits of the hash that precedes each line. */
export const HASH_DIGITS = 32;

/**
 * The hash of each line of a bundle: of the line and of the hash of the line before. So the first line that was changed,
 * added, removed or moved is known, and the hash of the last line is that of the whole bundle.
 */
export class LineHash {
  #previous: Buffer;

  /** @param previous The whole hash of the line before, to go on after it. */
  constructor(previous: Buffer = Buffer.alloc(32)) {
    this.#previous = previous;
  }

  /** The whole hash of the last line. */
  get last(): Buffer {
    return this.#previous;
  }

  next(line: Uint8Array): string {
    this.#previous = createHash("sha256").update(this.#previous).update(line).digest();
    return this.#previous.toString("hex").slice(0, HASH_DIGITS);
  }
}
