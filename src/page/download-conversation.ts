import { conversationMarkdown } from "./conversation-markdown.js";
import type { Message } from "./message.js";

/** Gives the visitor a conversation as a file of Markdown. */
export function downloadConversation(title: string, messages: readonly Message[]): void {
  const text = conversationMarkdown(title, messages);
  const url = URL.createObjectURL(new Blob([text], { type: "text/markdown;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href: url, download: `${fileName(title)}.md` }).click();
  // The browser has opened it by the next task.
  setTimeout(() => URL.revokeObjectURL(url));
}

function fileName(title: string): string {
  return (
    title
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || "conversation"
  );
}
