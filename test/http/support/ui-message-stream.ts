import type { UiMessageChunk } from "../../../src/http/ui-message-stream/ui-message-chunk.js";

/** A message of a user as the AI SDK's clients send it. */
export function userMessage(text: string): object {
  return { id: `u-${text.length}`, role: "user", parts: [{ type: "text", text }] };
}

/** The chunks of a stream, without its end and pings. */
export function readEvents(stream: string): readonly UiMessageChunk[] {
  const events = stream.split("\n\n").filter((event) => event.startsWith("data: ") && event !== "data: [DONE]");
  return events.map((event) => JSON.parse(event.slice("data: ".length)));
}
