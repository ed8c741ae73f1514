import { setTimeout as sleep } from "node:timers/promises";

/**
 * Returns a function that asks, and gives the latest answer if the next one takes longer than `waitMs`: for what is asked
 * often and answered by a thread that may be busy. Asks again only after the last answer has come.
 *
 * @param initial What is given before the first answer
 */
export function latestAnswer<Answer>(
  ask: () => Promise<Answer>,
  { initial, waitMs }: { readonly initial: Answer; readonly waitMs: number },
): () => Promise<Answer> {
  let latest = initial;
  let asking: Promise<Answer> | null = null;
  return async () => {
    asking ??= ask()
      .then((answer) => {
        latest = answer;
        return answer;
      })
      .finally(() => {
        asking = null;
      });
    const waited = new AbortController();
    const timeout = sleep(waitMs, undefined, { signal: waited.signal, ref: false }).catch(() => {});
    try {
      return await Promise.race([asking, timeout.then(() => latest)]);
    } finally {
      waited.abort();
    }
  };
}
