import { browserStore } from "./browser-store.js";
import { config } from "./page-config.js";

/** A code that this browser has asked for. A link in an e-mail opens another tab, which needs it as well. */
export interface PendingSignIn {
  readonly email: string;
  readonly requestId: string;
  /** In milliseconds since 1970. */
  readonly askedAt: number;
}

const KEY = `lorebase-sign-in ${config.base}`;
/** Codes of the server work as long. */
const LIFETIME_MS = 10 * 60_000;

export function keepPendingSignIn(email: string, requestId: string): void {
  try {
    browserStore.setItem(KEY, JSON.stringify({ email, requestId, askedAt: Date.now() } satisfies PendingSignIn));
  } catch {
    // Storage is blocked: the code has to be entered.
  }
}

/** What this browser has asked for and can still use; `null` if there is nothing. */
export function findPendingSignIn(): PendingSignIn | null {
  try {
    const pending = JSON.parse(browserStore.getItem(KEY) ?? "null") as PendingSignIn | null;
    if (pending && Date.now() - pending.askedAt < LIFETIME_MS) return pending;
    forgetPendingSignIn();
  } catch {
    // Storage is blocked, or has something else there.
  }
  return null;
}

export function forgetPendingSignIn(): void {
  try {
    browserStore.removeItem(KEY);
  } catch {
    // Storage is blocked: nothing was kept.
  }
}

/**
 * Takes the code of a link in an e-mail out of the address, now and whenever such a link is opened in this tab, for which
 * the browser doesn't load the page again. Returns a function that ends this.
 */
export function onCodeInAddress(onCode: (code: string) => void): () => void {
  const take = () => {
    const code = /^#code=(\d{6})$/.exec(location.hash)?.[1];
    if (code === undefined) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    onCode(code);
  };
  addEventListener("hashchange", take);
  take();
  return () => removeEventListener("hashchange", take);
}
