import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { LruCache } from "../../util/lru-cache.js";

const LIFETIME_MS = 10 * 60_000;
const MAX_TRIES = 5;
const MAX_CODES = 10_000;

interface SentCode {
  readonly hash: Buffer;
  readonly expiresAt: number;
  triesLeft: number;
}

/** Whom a code signs in, and to which page. */
export interface CodeOwner {
  readonly namespaceId: string;
  readonly email: string;
}

/**
 * One-time codes of six digits. A code works for ten minutes and five tries, and until there is a newer one. Codes are
 * kept as hashes in the memory of the process.
 */
export class SignInCodes {
  readonly #key = randomBytes(32);
  readonly #clock: () => number;
  readonly #codes = new LruCache<string, SentCode>({ maxEntries: MAX_CODES });

  /** @param clock Returns the milliseconds of a monotonic clock. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  create(owner: CodeOwner): string {
    const code = String(randomInt(1_000_000)).padStart(6, "0");
    const sent = { hash: this.#hash(owner, code), expiresAt: this.#clock() + LIFETIME_MS, triesLeft: MAX_TRIES };
    this.#codes.set(keyOf(owner), sent);
    return code;
  }

  /** Whether the code is right. A right code works once. Takes the same time whether there is a code or not. */
  verify(owner: CodeOwner, code: string): boolean {
    const given = this.#hash(owner, code);
    const sent = this.#codes.get(keyOf(owner));
    const isRight = timingSafeEqual(given, sent?.hash ?? Buffer.alloc(given.length)) && sent !== undefined;
    if (!sent) return false;
    sent.triesLeft--;
    const isUsable = this.#clock() < sent.expiresAt;
    if (isRight || sent.triesLeft === 0 || !isUsable) this.#codes.delete(keyOf(owner));
    return isRight && isUsable;
  }

  #hash(owner: CodeOwner, code: string): Buffer {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([keyOf(owner), code]))
      .digest();
  }
}

function keyOf({ namespaceId, email }: CodeOwner): string {
  return JSON.stringify([namespaceId, email]);
}
