import type { AssistantMessage, Message } from "./message.js";

/** A conversation of this device. */
export interface KeptConversation {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly changedAt: number;
  readonly messages: readonly Message[];
}

/** The part of the browser's `Storage` that is needed. Each method may throw, as where storage is blocked or full. */
export interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

const MAX_CONVERSATIONS = 30;
/** Passages of an answer without citations that are kept: those that are shown. */
const MAX_UNCITED = 3;

/** The conversations of one page that a browser keeps, newest first. They never leave the device. */
export class ConversationHistory {
  readonly #store: Store;
  readonly #key: string;
  readonly #settingKey: string;
  readonly #isKeptByDefault: boolean;

  /**
   * @param page The path of the page.
   * @param isKeptByDefault Whether conversations are kept unless the visitor has decided.
   */
  constructor(store: Store, page: string, isKeptByDefault: boolean) {
    this.#store = store;
    this.#key = `lorebase-conversations ${page}`;
    this.#settingKey = `lorebase-keep-conversations ${page}`;
    this.#isKeptByDefault = isKeptByDefault;
  }

  get isKept(): boolean {
    return (this.#read(this.#settingKey) ?? String(this.#isKeptByDefault)) === "true";
  }

  /** Decides whether conversations are kept from now on. Those that are kept are removed if not. */
  setKept(isKept: boolean): void {
    if (!isKept) this.clear();
    this.#write(this.#settingKey, String(isKept));
  }

  list(): readonly KeptConversation[] {
    try {
      return JSON.parse(this.#read(this.#key) ?? "[]") as readonly KeptConversation[];
    } catch {
      // Cut or written by something else.
      return [];
    }
  }

  /** Keeps a conversation, in place of what was kept of it before. Leaves out the oldest ones that don't fit. */
  save(conversation: KeptConversation): void {
    if (!this.isKept) return;
    const messages = conversation.messages.map(withoutUnshown);
    const others = this.list().filter(({ id }) => id !== conversation.id);
    let kept = [{ ...conversation, messages }, ...others].slice(0, MAX_CONVERSATIONS);
    while (kept.length > 0 && !this.#write(this.#key, JSON.stringify(kept))) kept = kept.slice(0, -1);
  }

  clear(): void {
    try {
      this.#store.removeItem(this.#key);
    } catch {
      // Storage is blocked: nothing was kept.
    }
  }

  #read(key: string): string | null {
    try {
      return this.#store.getItem(key);
    } catch {
      // Storage is blocked.
      return null;
    }
  }

  #write(key: string, value: string): boolean {
    try {
      this.#store.setItem(key, value);
      return true;
    } catch {
      // Storage is blocked or full.
      return false;
    }
  }
}

/** A message without the passages that aren't shown, which are most of its size. A failed answer can be asked again. */
function withoutUnshown(message: Message): Message {
  if (message.role === "user") return message;
  const state = message.state === "done" ? "done" : "stopped";
  return { ...message, state, error: null, passages: shownPassages(message) };
}

function shownPassages({ citations, passages }: AssistantMessage): AssistantMessage["passages"] {
  const cited = new Set(citations.map(({ chunkId }) => chunkId));
  return passages.filter(({ chunkId }, index) => cited.has(chunkId) || index < MAX_UNCITED);
}
