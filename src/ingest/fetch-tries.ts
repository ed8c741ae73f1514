import { KnowledgeBaseError } from "../errors.js";

/** Tries of one file that fail for reasons that may pass, after which it is given up. */
const MOST_TRIES = 4;
/** No third or later try begins after so long. */
const LONGEST_MS = 5 * 60_000;
const FIRST_WAIT_MS = 5000;
/** Files that are remembered; the one that failed longest ago is forgotten first. */
const MOST_FILES = 10_000;

interface FailedTries {
  readonly count: number;
  /** When the first of them began. */
  readonly since: number;
}

/**
 * When a file whose fetch has failed is tried again: after 5, 20 and 80 s, of which half is chance, or as long as its server has asked,
 * and four times in all. Null where it is given up: after the fourth try, and after the second or third where five minutes have passed.
 *
 * @param failed The tries so far, the last one included.
 * @param random From 0 to below 1.
 */
export function nextTryMs({ count, since }: FailedTries, now: number, random: number): number | null {
  if (count >= MOST_TRIES || (count >= 2 && now - since >= LONGEST_MS)) return null;
  const longest = FIRST_WAIT_MS * 4 ** (count - 1);
  return Math.round(longest / 2 + (longest / 2) * random);
}

/**
 * The failed tries of this process's files. Without them a file would have as many tries as its job has attempts, at longer and longer
 * waits: hours where each try takes minutes. After a restart they are counted anew; the job's attempts are not.
 */
export class FetchTries {
  /** By document, or by job where it finds its documents; the one that failed longest ago first. */
  readonly #failed = new Map<string, FailedTries>();

  succeeded(id: string): void {
    this.#failed.delete(id);
  }

  /**
   * Counts a failure, and returns the error that the document, or job, ends or waits with.
   *
   * @param startedAt When the try began.
   */
  failed(id: string, error: unknown, { startedAt, now }: { startedAt: number; now: number }): unknown {
    const before = this.#failed.get(id);
    this.#failed.delete(id);
    if (!KnowledgeBaseError.is(error) || !error.retryable) return error;
    const { code, message, vendorStatus, retryAfterMs } = error;
    const tries = { count: (before?.count ?? 0) + 1, since: before?.since ?? startedAt };
    const wait = nextTryMs(tries, now, Math.random());
    const status = vendorStatus === null ? {} : { vendorStatus };
    if (wait === null) {
      return new KnowledgeBaseError(code, `Gave up after ${tries.count} tries: ${message}`, {
        cause: error,
        ...status,
      });
    }
    this.#failed.set(id, tries);
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > MOST_FILES) this.#failed.delete(oldest!);
    const asked = Math.max(wait, retryAfterMs ?? 0);
    return new KnowledgeBaseError(code, message, { cause: error, retryable: true, retryAfterMs: asked, ...status });
  }
}
