import { setTimeout as sleep } from "node:timers/promises";
import { KnowledgeBaseError } from "../errors.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import type { CallOptions, Scope } from "../types.js";

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;
/** Stores that find what was written late do so within seconds. */
const LONGEST_MS = 60_000;

export interface AwaitSeenOptions extends CallOptions {
  /** @default a timer */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * Waits until a store's queries find what was written to it, for a minute at most.
 * @throws KnowledgeBaseError `store_failed`, retryable, where they don't by then
 */
export async function awaitVisible(
  store: VectorStore,
  scope: Scope,
  ids: readonly string[],
  { signal, sleep: pause = timer }: AwaitSeenOptions = {},
): Promise<void> {
  if (!store.findMissing) return;
  let missing = ids;
  let waited = 0;
  for (let waitMs = FIRST_WAIT_MS; missing.length > 0; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    missing = await store.findMissing(scope, missing, { signal });
    if (missing.length === 0) return;
    if (waited >= LONGEST_MS) {
      const message = `${store.provider} does not find ${missing.length} of ${ids.length} vectors a minute after they were written.`;
      throw new KnowledgeBaseError("store_failed", message, { retryable: true });
    }
    await pause(waitMs, signal);
    waited += waitMs;
  }
}

async function timer(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal });
}
