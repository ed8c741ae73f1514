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
export interface CodeRequest {
  /** Known only to the browser that asked for the code, so that others can't use up its tries. */
  readonly requestId: string;
  readonly namespaceId: string;
  readonly email: string;
}

/**
 * One-time codes of six digits. A code works for ten minutes and five tries of the browser that asked for it. Codes are
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

  create(request: CodeRequest): string {
    const code = String(randomInt(1_000_000)).padStart(6, "0");
    const sent = { hash: this.#hash(request, code), expiresAt: this.#clock() + LIFETIME_MS, triesLeft: MAX_TRIES };
    this.#codes.set(keyOf(request), sent);
    return code;
  }

  /** Whether the code is right. A right code works once. Takes the same time whether there is a code or not. */
  verify(request: CodeRequest, code: string): boolean {
    const given = this.#hash(request, code);
    const sent = this.#codes.get(keyOf(request));
    const isRight = timingSafeEqual(given, sent?.hash ?? Buffer.alloc(given.length)) && sent !== undefined;
    if (!sent) return false;
    sent.triesLeft--;
    const isUsable = this.#clock() < sent.expiresAt;
    if (isRight || sent.triesLeft === 0 || !isUsable) this.#codes.delete(keyOf(request));
    return isRight && isUsable;
  }

  #hash(request: CodeRequest, code: string): Buffer {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([keyOf(request), code]))
      .digest();
  }
}

function keyOf({ requestId, namespaceId, email }: CodeRequest): string {
  return JSON.stringify([requestId, namespaceId, email]);
}
