import { type AssistantMessage, isOpen, type Message } from "./message.js";
import { completeTables, findHeadIn } from "./quoted-rows.js";
import { placeText, type Source, toSources } from "./sources.js";
import { strings } from "./strings.js";

/** A conversation as Markdown, each answer with its sources and what it quotes of them. */
export function conversationMarkdown(title: string, messages: readonly Message[]): string {
  const parts = messages.map((message) => (message.role === "user" ? question(message.text) : answer(message)));
  return `${[`# ${escapeMarkdown(title)}`, ...parts].join("\n\n")}\n`;
}

function question(text: string): string {
  return `## ${escapeMarkdown(text).replace(/\s+/g, " ")}`;
}

function answer(message: AssistantMessage): string {
  const { text, citations, passages, error } = message;
  const head = (row: string) => findHeadIn(passages, row.replace(/ \[\d+\]/g, ""));
  const sources = toSources(citations, passages).map(source);
  const state = error?.message ?? (message.state === "stopped" || isOpen(message) ? strings.answerStopped : "");
  const parts = [
    completeTables(text.trim(), head),
    state,
    ...(sources.length > 0 ? [`### ${strings.sources}`, ...sources] : []),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function source(cited: Source): string {
  const { number, title, citations } = cited;
  const place = placeText(cited);
  const quotes = new Set(citations.map(({ quote }) => quote));
  const lines = [...quotes].map((quote) => quote.replace(/^/gm, "> "));
  return [`\\[${number}\\] **${escapeMarkdown(title)}**${place && `, ${escapeMarkdown(place)}`}`, ...lines].join(
    "\n\n",
  );
}

/** Names and questions are text, whatever signs they have. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>#|]/g, "\\$&");
}
