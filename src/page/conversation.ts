import { useRef, useState } from "preact/hooks";
import type { UiMessageChunk } from "../http/ui-message-stream/ui-message-chunk.js";
import { type ChatTurn, chat } from "./api.js";
import type { KeptConversation } from "./conversation-history.js";
import { type AssistantMessage, isOpen, type Message, plainText } from "./message.js";
import { RequestError } from "./request-error.js";
import { strings } from "./strings.js";

export interface Conversation {
  /** Distinguishes it from others of this browser. */
  readonly id: string;
  readonly messages: readonly Message[];
  readonly isBusy: boolean;
  ask(question: string): void;
  /** Replaces a question, and everything after it. */
  edit(id: string, question: string): void;
  /** Asks for the last answer again. */
  regenerate(): void;
  stop(): void;
  /** Begins another conversation. */
  clear(): void;
  /** Goes on with a conversation that was kept. */
  open(kept: Pick<KeptConversation, "id" | "messages">): void;
}

let ids = 0;
const newId = () => `m${++ids}`;
const newConversationId = () => `${Date.now()}-${Math.random().toString(36).slice(2)}`;

/**
 * The conversation of this visit.
 *
 * @param onAnswered Called when an answer is complete, stopped or has failed.
 */
export function useConversation(onAnswered: (changed: Pick<Conversation, "id" | "messages">) => void): Conversation {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [id, setId] = useState(newConversationId);
  const running = useRef<AbortController | null>(null);

  async function answer(before: readonly Message[]): Promise<void> {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    let message: AssistantMessage = { ...NEW_ANSWER, id: newId() };
    let frame = 0;
    const show = () => {
      frame = 0;
      if (running.current === controller) setMessages([...before, message]);
    };
    show();
    try {
      for await (const chunk of chat(before.map(toTurn), controller.signal)) {
        message = applyChunk(message, chunk);
        // At most one update in a frame: each parses the text again.
        frame ||= requestAnimationFrame(show);
      }
    } catch (error) {
      const isStopped = controller.signal.aborted;
      const failure = error instanceof RequestError ? error : new RequestError(strings.somethingWrong);
      message = { ...message, state: isStopped ? "stopped" : "failed", error: isStopped ? null : failure };
    }
    cancelAnimationFrame(frame);
    if (running.current !== controller) return;
    show();
    running.current = null;
    onAnswered({ id, messages: [...before, message] });
  }

  const isBusy = messages.at(-1)?.role === "assistant" && isOpen(messages.at(-1) as AssistantMessage);
  function replace(other: string, shown: readonly Message[]): void {
    running.current?.abort();
    running.current = null;
    setId(other);
    setMessages(shown);
  }
  return {
    ...{ id, messages, isBusy },
    ask: (text) => void answer([...messages, { id: newId(), role: "user", text }]),
    edit(id, text) {
      const index = messages.findIndex((message) => message.id === id);
      void answer([...messages.slice(0, index), { id: newId(), role: "user", text }]);
    },
    regenerate: () => void answer(messages.slice(0, -1)),
    stop: () => running.current?.abort(),
    clear: () => replace(newConversationId(), []),
    // With ids of this visit, which are counted anew.
    open: (kept) =>
      replace(
        kept.id,
        kept.messages.map((message) => ({ ...message, id: newId() })),
      ),
  };
}

const NEW_ANSWER: Omit<AssistantMessage, "id"> = {
  role: "assistant",
  text: "",
  state: "searching",
  query: "",
  passages: [],
  citations: [],
  suggestions: [],
  isExtractive: false,
  isAnswered: false,
  error: null,
};

function toTurn(message: Message): ChatTurn {
  const text = message.role === "user" ? message.text : plainText(message);
  return { id: message.id, role: message.role, text: text || "…" };
}

function applyChunk(message: AssistantMessage, chunk: UiMessageChunk): AssistantMessage {
  switch (chunk.type) {
    case "start":
      return { ...message, isExtractive: chunk.messageMetadata.mode === "extractive" };
    case "data-search":
      return { ...message, state: message.text === "" ? "searching" : message.state, query: chunk.data.query };
    case "data-passages":
      return {
        ...message,
        state: message.text === "" ? "reading" : message.state,
        passages: [...message.passages, ...chunk.data.passages],
      };
    case "text-delta":
      return { ...message, state: "writing", text: message.text + chunk.delta };
    case "data-citation":
      return { ...message, citations: [...message.citations, chunk.data] };
    case "data-suggestions":
      return { ...message, suggestions: chunk.data.questions };
    case "finish":
      return { ...message, state: "done", isAnswered: chunk.messageMetadata.isAnswered };
    case "error":
      throw new RequestError(chunk.errorText);
    default:
      return message;
  }
}
