import { KnowledgeBaseError } from "../errors.js";

/** Tries of one file that fail for reasons that may pass, after which it is given up, unless its job has fewer attempts. */
const MOST_TRIES = 4;
/** No third or later try begins after so long. */
const LONGEST_MS = 5 * 60_000;
const FIRST_WAIT_MS = 5000;
/** A file whose origin is silent is given up so long after it was first tried or refused. */
const LONGEST_REFUSED_MS = 10 * 60_000;
/** A server that asks for a longer wait is asked again after this. */
const LONGEST_ASKED_MS = 60 * 60_000;
/** Files whose tries are counted here; those of more than so many count as attempts of their jobs. */
const MOST_FILES = 10_000;
/** A file that was not tried again so long after it might have been is forgotten: its job has ended. */
const FORGOTTEN_MS = 60 * 60_000;

interface FailedTries {
  readonly count: number;
  /** When the first of them began, or was refused. */
  readonly since: number;
}

interface WaitingFile extends FailedTries {
  readonly notBefore: number;
  readonly error: KnowledgeBaseError;
}

/**
 * When a file whose fetch has failed is tried again: after 5, 20 and 80 s, of which half is chance, or as long as its server has asked,
 * and four times in all. Null where it is given up: after the fourth try, and after the second or third where five minutes have passed.
 *
 * @param failed The tries so far, the last one included.
 * @param random From 0 to below 1.
 */
export function nextTryMs(
  { count, since }: FailedTries,
  now: number,
  random: number,
  mostTries = MOST_TRIES,
): number | null {
  if (count >= mostTries || (count >= 2 && now - since >= LONGEST_MS)) return null;
  const longest = FIRST_WAIT_MS * 4 ** (count - 1);
  return Math.round(longest / 2 + (longest / 2) * random);
}

/**
 * The failed tries of this process's files, and the time before which each is not tried again. Without them a file would have as many tries
 * as its job has attempts, at longer and longer waits: hours where each try takes minutes. After a restart they are counted anew.
 */
export class FetchTries {
  /** By document, or by job where it finds its documents; the one that failed longest ago first. */
  readonly #failed = new Map<string, WaitingFile>();
  readonly #mostTries: number;

  /** @param attempts Most attempts of a job, which a file has no more tries than. */
  constructor(attempts = MOST_TRIES) {
    this.#mostTries = Math.min(attempts, MOST_TRIES);
  }

  succeeded(id: string): void {
    this.#failed.delete(id);
  }

  /** The failure of a file whose time to be tried again has not come, with the wait that is left; null where it may be tried. */
  waiting(id: string, now: number): KnowledgeBaseError | null {
    const file = this.#failed.get(id);
    return file === undefined || now >= file.notBefore ? null : withWait(file.error, file.notBefore - now);
  }

  /**
   * Counts a failure, and returns the error that the document, or job, ends or waits with. A file that was not asked for, as its origin is
   * left alone, has used up no try.
   *
   * @param startedAt When the try began.
   */
  failed(id: string, error: unknown, { startedAt, now }: { startedAt: number; now: number }): unknown {
    const before = this.#failed.get(id);
    // An abort and a full disk say nothing of the server.
    if (!KnowledgeBaseError.is(error) || (error.retryable && error.code !== "provider_failed")) return error;
    this.#failed.delete(id);
    if (!error.retryable) return error;
    const since = before?.since ?? startedAt;
    const count = (before?.count ?? 0) + (error.deferred ? 0 : 1);
    const asked = Math.min(error.retryAfterMs ?? 0, LONGEST_ASKED_MS);
    if (error.deferred) {
      if (now - since >= LONGEST_REFUSED_MS) return gaveUp(`${Math.round((now - since) / 60_000)} minutes`, error);
      return this.#putOff(id, { count, since, notBefore: now + asked, error }, now);
    }
    const wait = nextTryMs({ count, since }, now, Math.random(), this.#mostTries);
    if (wait === null) return gaveUp(count === 1 ? "one try" : `${count} tries`, error);
    return this.#putOff(id, { count, since, notBefore: now + Math.max(wait, asked), error }, now);
  }

  #putOff(id: string, file: WaitingFile, now: number): KnowledgeBaseError {
    const [oldest] = this.#failed;
    if (oldest && now - oldest[1].notBefore >= FORGOTTEN_MS) this.#failed.delete(oldest[0]);
    if (this.#failed.size < MOST_FILES) this.#failed.set(id, file);
    return withWait(file.error, file.notBefore - now);
  }
}

function withWait(error: KnowledgeBaseError, retryAfterMs: number): KnowledgeBaseError {
  const { code, message, deferred } = error;
  const options = { cause: error, retryable: true, retryAfterMs, deferred, ...statusOf(error) };
  return new KnowledgeBaseError(code, message, options);
}

function gaveUp(after: string, error: KnowledgeBaseError): KnowledgeBaseError {
  const message = `Gave up after ${after}: ${error.message}`;
  return new KnowledgeBaseError(error.code, message, { cause: error, ...statusOf(error) });
}

function statusOf({ vendorStatus }: KnowledgeBaseError): { vendorStatus?: number } {
  return vendorStatus === null ? {} : { vendorStatus };
}
