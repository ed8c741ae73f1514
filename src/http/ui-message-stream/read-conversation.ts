import { KnowledgeBaseError } from "../../errors.js";
import type { ChatMessage } from "../../index.js";
import type { UiMessage } from "../../validation/chat-schema.js";
import { MAX_QUERY_LENGTH } from "../../validation/query-length.js";

/** What a client asks: its last message, and the conversation before it, oldest first. */
export interface Conversation {
  readonly question: string;
  readonly history: readonly ChatMessage[];
}

/** The maximum number of characters of the history. Older messages are left out. */
const MAX_HISTORY_LENGTH = 32_000;
const FENCED_CODE_PATTERN = /(?<fence>`{3,}|~{3,})[\s\S]*?(?:\k<fence>|$)/;
/** Matches a code span, which ends in the paragraph in which it begins. */
const CODE_SPAN_PATTERN = /(?<!`)(?<ticks>``?)(?!`)(?:[^\n]|\n(?!\s*\n))*?(?<!`)\k<ticks>(?!`)/;
/** Matches a citation marker and what separates it from the text before it. */
const MARKER_PATTERN = /(?:^| |\n\n)\[\d{1,3}\](?!\()/;
const CODE_OR_MARKER_PATTERN = new RegExp(
  [FENCED_CODE_PATTERN, CODE_SPAN_PATTERN, MARKER_PATTERN].map(({ source }) => source).join("|"),
  "g",
);

/**
 * Returns the user's last message as the question, and the messages before it as the history. Messages after it are
 * left out: they are answers to be generated again.
 * @throws KnowledgeBaseError `invalid_input` if there is none, or if it is too long
 */
export function readConversation(messages: readonly UiMessage[]): Conversation {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const question = last < 0 ? "" : textOf(messages[last]!);
  if (question === "") throw invalidMessages("must contain a message of the role user with text");
  if (question.length > MAX_QUERY_LENGTH)
    throw invalidMessages(`a question may have ${MAX_QUERY_LENGTH} characters, got ${question.length}`);
  return { question, history: readHistory(messages.slice(0, last)) };
}

/** Converts messages to a history. Leaves out system messages, because clients must not give instructions. */
function readHistory(messages: readonly UiMessage[]): readonly ChatMessage[] {
  const history: ChatMessage[] = [];
  let length = 0;
  for (const message of messages.toReversed()) {
    const { role } = message;
    if (role === "system") continue;
    const text = textOf(message);
    length += text.length;
    if (length > MAX_HISTORY_LENGTH) break;
    const content = role === "assistant" ? removeMarkers(text) : text;
    if (content !== "") history.push({ role, content });
  }
  return history.toReversed();
}

/**
 * Removes the citation markers of an earlier answer, because their numbers stand for other passages than those of the
 * next answer. Brackets in code and links stay.
 */
function removeMarkers(text: string): string {
  return text.replace(CODE_OR_MARKER_PATTERN, (match) => (/^[`~]/.test(match) ? match : "")).trim();
}

/** Returns the text parts of a message. Ignores its other parts. */
function textOf({ parts }: UiMessage): string {
  const texts = parts.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
  return texts.join("\n\n").trim();
}

function invalidMessages(rule: string): KnowledgeBaseError {
  return new KnowledgeBaseError("invalid_input", `messages: ${rule}`, {
    issues: [{ field: "messages", message: rule }],
  });
}
