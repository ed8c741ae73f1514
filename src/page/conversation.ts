import { useRef, useState } from "preact/hooks";
import type { UiMessageChunk, WireCitation, WirePassage } from "../http/ui-message-stream/ui-message-chunk.js";
import { type ChatTurn, chat, RequestError } from "./api.js";

interface UserMessage {
  readonly id: string;
  readonly role: "user";
  readonly text: string;
}

export interface AssistantMessage {
  readonly id: string;
  readonly role: "assistant";
  /** With citation markers, at the ranges that the citations name. */
  readonly text: string;
  readonly state: "searching" | "reading" | "writing" | "done" | "stopped" | "failed";
  /** The last search of the answer. */
  readonly query: string;
  readonly passages: readonly WirePassage[];
  readonly citations: readonly WireCitation[];
  readonly suggestions: readonly string[];
  readonly isExtractive: boolean;
  readonly isAnswered: boolean;
  readonly error: RequestError | null;
}

export type Message = UserMessage | AssistantMessage;

export interface Conversation {
  readonly messages: readonly Message[];
  readonly isBusy: boolean;
  ask(question: string): void;
  /** Replaces a question, and everything after it. */
  edit(id: string, question: string): void;
  /** Asks for the last answer again. */
  regenerate(): void;
  stop(): void;
  clear(): void;
}

let ids = 0;
const newId = () => `m${++ids}`;

/** The conversation of this visit. */
export function useConversation(onAnswered: (message: AssistantMessage) => void): Conversation {
  const [messages, setMessages] = useState<readonly Message[]>([]);
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
      const failure = error instanceof RequestError ? error : new RequestError("Something went wrong.");
      message = { ...message, state: isStopped ? "stopped" : "failed", error: isStopped ? null : failure };
    }
    cancelAnimationFrame(frame);
    if (running.current !== controller) return;
    show();
    running.current = null;
    onAnswered(message);
  }

  const isBusy = messages.at(-1)?.role === "assistant" && isOpen(messages.at(-1) as AssistantMessage);
  return {
    messages,
    isBusy,
    ask: (text) => void answer([...messages, { id: newId(), role: "user", text }]),
    edit(id, text) {
      const index = messages.findIndex((message) => message.id === id);
      void answer([...messages.slice(0, index), { id: newId(), role: "user", text }]);
    },
    regenerate: () => void answer(messages.slice(0, -1)),
    stop: () => running.current?.abort(),
    clear() {
      running.current?.abort();
      running.current = null;
      setMessages([]);
    },
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

export function isOpen({ state }: AssistantMessage): boolean {
  return state === "searching" || state === "reading" || state === "writing";
}

/** The text of an answer without its citation markers. */
export function plainText({ text, citations }: Pick<AssistantMessage, "text" | "citations">): string {
  let plain = "";
  let at = 0;
  for (const { markerRange } of citations) {
    plain += text.slice(at, markerRange.start).trimEnd();
    at = markerRange.end;
  }
  return plain + text.slice(at);
}

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
