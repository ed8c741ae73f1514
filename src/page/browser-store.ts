import type { Store } from "./conversation-history.js";

/** The storage of the browser, which is looked up with each call, since even that may throw. */
export const browserStore: Store = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
  removeItem: (key) => localStorage.removeItem(key),
};
