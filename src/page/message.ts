import type { WireCitation, WirePassage } from "../http/ui-message-stream/ui-message-chunk.js";
import type { RequestError } from "./request-error.js";

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
