import { KnowledgeBaseError } from "../../errors.js";
import type { ChatMessage } from "../../index.js";
import type { UiMessage } from "../../validation/chat-schema.js";
import { MAX_QUERY_LENGTH } from "../../validation/query-length.js";

/** What a client asks: its last message, and the conversation before it, oldest first. */
export interface Conversation {
  readonly question: string;
  readonly history: readonly ChatMessage[];
}

/** In characters. Older messages are left out. */
const MAX_HISTORY_LENGTH = 32_000;
const FENCED_CODE = /(?<fence>`{3,}|~{3,})[\s\S]*?(?:\k<fence>|$)/;
/** Within its paragraph. */
const CODE_SPAN = /(?<!`)(?<ticks>``?)(?!`)(?:[^\n]|\n(?!\s*\n))*?(?<!`)\k<ticks>(?!`)/;
/** With what separates it from the text before it. */
const MARKER = /(?:^| |\n\n)\[\d{1,3}\](?!\()/;
const CODE_OR_MARKER = new RegExp([FENCED_CODE, CODE_SPAN, MARKER].map(({ source }) => source).join("|"), "g");

/**
 * Takes the last message of the user as the question. Messages after it are answers to be regenerated.
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

/** Without system messages, since a client gives no instructions. */
function readHistory(messages: readonly UiMessage[]): readonly ChatMessage[] {
  const history: ChatMessage[] = [];
  let length = 0;
  for (const message of messages.toReversed()) {
    const { role } = message;
    if (role === "system") continue;
    const text = textOf(message);
    length += text.length;
    if (length > MAX_HISTORY_LENGTH) break;
    const content = role === "assistant" ? withoutMarkers(text) : text;
    if (content !== "") history.push({ role, content });
  }
  return history.toReversed();
}

/** Without the markers of an earlier answer, whose numbers mean other passages. Brackets in code and links stay. */
function withoutMarkers(text: string): string {
  return text.replace(CODE_OR_MARKER, (match) => (/^[`~]/.test(match) ? match : "")).trim();
}

/** The text parts of a message. Its other parts are ignored. */
function textOf({ parts }: UiMessage): string {
  const texts = parts.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));
  return texts.join("\n\n").trim();
}

function invalidMessages(rule: string): KnowledgeBaseError {
  return new KnowledgeBaseError("invalid_input", `messages: ${rule}`, {
    issues: [{ field: "messages", message: rule }],
  });
}
