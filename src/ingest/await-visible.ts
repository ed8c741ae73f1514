import { setTimeout as sleep } from "node:timers/promises";
import { KnowledgeBaseError } from "../errors.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import type { CallOptions, Scope } from "../types.js";

const INITIAL_WAIT_MS = 50;
const MAX_WAIT_MS = 2000;
/** Eventually consistent stores show writes within seconds. */
const TIMEOUT_MS = 60_000;

export interface AwaitVisibleOptions extends CallOptions {
  /** Replaces the timer in tests. @default a timer */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Waits up to a minute until a store's queries return the vectors that were written (read-your-writes).
 *
 * @throws KnowledgeBaseError `store_failed`, retryable, if the queries still don't return all of them
 */
export async function awaitVisible(
  store: VectorStore,
  scope: Scope,
  ids: readonly string[],
  { signal, sleep: wait = sleepFor }: AwaitVisibleOptions = {},
): Promise<void> {
  if (!store.findMissing) return;
  let missing = ids;
  let waitedMs = 0;
  for (let waitMs = INITIAL_WAIT_MS; missing.length > 0; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    missing = await store.findMissing(scope, missing, { signal });
    if (missing.length === 0) return;
    if (waitedMs >= TIMEOUT_MS) {
      const message = `${store.provider} doesn't find ${missing.length} of ${ids.length} vectors written a minute ago.`;
      throw new KnowledgeBaseError("store_failed", message, { retryable: true });
    }
    await wait(waitMs, signal);
    waitedMs += waitMs;
  }
}

async function sleepFor(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}
