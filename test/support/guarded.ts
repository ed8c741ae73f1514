import { onTestFinished } from "vitest";
import { guardedFetch } from "#dist/net/guarded-fetch.js";
import type { GuardedFetch, GuardedFetchOptions } from "../../src/net/guarded-fetch.js";

/** A guarded fetch that closes with its test. */
export function guarded(options: GuardedFetchOptions = {}): GuardedFetch {
  const fetch = guardedFetch(options);
  onTestFinished(() => fetch.close());
  return fetch;
}
