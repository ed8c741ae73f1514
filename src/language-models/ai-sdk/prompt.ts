import type { ModelContent, ModelMessage, ToolCall } from "../../interfaces/language-model.js";

/** Converts messages to the prompt of a specification version. Consecutive tool results become one message. */
export function toAiSdkPrompt(messages: readonly ModelMessage[], version: string): unknown[] {
  const prompt: { readonly role: string; readonly content: unknown }[] = [];
  let results: unknown[] = [];
  for (const message of messages) {
    if (message.role !== "tool") {
      results = [];
      prompt.push({ role: message.role, content: toContent(message, version) });
      continue;
    }
    if (results.length === 0) prompt.push({ role: "tool", content: results });
    const { toolCallId, toolName, content } = message;
    results.push({ type: "tool-result", toolCallId, toolName, output: { type: "text", value: content } });
  }
  return prompt;
}

function toContent(message: Exclude<ModelMessage, { role: "tool" }>, version: string): unknown {
  if (message.role === "system") return message.content;
  if (message.role === "user") {
    const { content } = message;
    return typeof content === "string" ? [toTextPart(content)] : content.map((part) => toContentPart(part, version));
  }
  const { content, toolCalls = [] } = message;
  // Vendors reject empty texts.
  const text = content === "" && toolCalls.length > 0 ? [] : [toTextPart(content)];
  return [...text, ...toolCalls.map(toToolCallPart)];
}

function toTextPart(text: string): unknown {
  return { type: "text", text };
}

function toContentPart(part: ModelContent, version: string): unknown {
  if (part.type === "text") return toTextPart(part.text);
  const data = version === "v4" ? { type: "data", data: part.bytes } : part.bytes;
  return { type: "file", mediaType: part.mimeType, data };
}

function toToolCallPart({ id, name, input = {}, providerData }: ToolCall): unknown {
  return {
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input,
    ...(providerData !== undefined && { providerOptions: providerData }),
  };
}
