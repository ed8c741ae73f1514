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

/** What the storage has for a page. */
interface Kept {
  readonly visitorId: string;
  /** What the visitor has decided; `null` if nothing. */
  readonly isKept: boolean | null;
  readonly conversations: readonly KeptConversation[];
}

interface HistoryOptions {
  /** Whose conversations they are; `null` if none may be kept. */
  readonly visitorId: string | null;
  /** Whether conversations are kept unless the visitor has decided. */
  readonly isKeptByDefault: boolean;
}

/**
 * The conversations of one page that a browser keeps, newest first. They never leave the device, and are those of one
 * visitor: what another one has kept is neither shown nor replaced.
 */
export class ConversationHistory {
  readonly #store: Store;
  readonly #key: string;
  readonly #options: HistoryOptions;

  /** @param page The path of the page. */
  constructor(store: Store, page: string, options: HistoryOptions) {
    this.#store = store;
    this.#key = `lorebase-conversations ${page}`;
    this.#options = options;
  }

  get isKept(): boolean {
    const own = this.#own();
    return own !== null && (own.isKept ?? this.#options.isKeptByDefault);
  }

  /** Decides whether conversations are kept from now on. Those that are kept are removed if not. */
  setKept(isKept: boolean): void {
    const own = this.#own();
    if (own) this.#write({ ...own, isKept, conversations: isKept ? own.conversations : [] });
  }

  list(): readonly KeptConversation[] {
    return this.#own()?.conversations ?? [];
  }

  /** Keeps a conversation, in place of what was kept of it before. Leaves out the oldest ones that don't fit. */
  save(conversation: KeptConversation): void {
    const own = this.#own();
    if (!own || !this.isKept) return;
    const messages = conversation.messages.map(withoutUnshown);
    const others = own.conversations.filter(({ id }) => id !== conversation.id);
    let conversations = [{ ...conversation, messages }, ...others].slice(0, MAX_CONVERSATIONS);
    while (conversations.length > 0 && !this.#write({ ...own, conversations }))
      conversations = conversations.slice(0, -1);
  }

  clear(): void {
    const own = this.#own();
    if (own) this.#write({ ...own, conversations: [] });
  }

  /** Removes what other visitors have kept. */
  removeOthers(): void {
    if (!this.#own()) this.remove();
  }

  /** Removes everything, the visitor's decision included. */
  remove(): void {
    try {
      this.#store.removeItem(this.#key);
    } catch {
      // Storage is blocked: nothing was kept.
    }
  }

  /** What the visitor has kept; `null` if there is something of another one, or if nothing may be kept. */
  #own(): Kept | null {
    const { visitorId } = this.#options;
    if (visitorId === null) return null;
    const kept = this.#read() ?? { visitorId, isKept: null, conversations: [] };
    return kept.visitorId === visitorId ? kept : null;
  }

  #read(): Kept | null {
    try {
      return JSON.parse(this.#store.getItem(this.#key) ?? "null") as Kept | null;
    } catch {
      // Storage is blocked, or has something cut or written by something else.
      return null;
    }
  }

  #write(kept: Kept): boolean {
    try {
      this.#store.setItem(this.#key, JSON.stringify(kept));
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
