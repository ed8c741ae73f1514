import type { ModelContent, ModelMessage, ToolCall } from "../../interfaces/language-model.js";

/** Converts messages to the prompt of a specification version. Consecutive tool results become one message. */
export function toAiSdkPrompt(messages: readonly ModelMessage[], version: string): unknown[] {
  const prompt: { readonly role: string; readonly content: unknown }[] = [];
  let results: unknown[] = [];
  for (const message of messages) {
    if (message.role !== "tool") {
      results = [];
      prompt.push({ role: message.role, content: contentOf(message, version) });
      continue;
    }
    if (results.length === 0) prompt.push({ role: "tool", content: results });
    const { toolCallId, toolName, content } = message;
    results.push({ type: "tool-result", toolCallId, toolName, output: { type: "text", value: content } });
  }
  return prompt;
}

function contentOf(message: Exclude<ModelMessage, { role: "tool" }>, version: string): unknown {
  if (message.role === "system") return message.content;
  if (message.role === "user") {
    const { content } = message;
    return typeof content === "string" ? [textPart(content)] : content.map((part) => contentPart(part, version));
  }
  const { content, toolCalls = [] } = message;
  // Vendors reject empty texts.
  const text = content === "" && toolCalls.length > 0 ? [] : [textPart(content)];
  return [...text, ...toolCalls.map(toolCallPart)];
}

function textPart(text: string): unknown {
  return { type: "text", text };
}

function contentPart(part: ModelContent, version: string): unknown {
  if (part.type === "text") return textPart(part.text);
  const data = version === "v4" ? { type: "data", data: part.bytes } : part.bytes;
  return { type: "file", mediaType: part.mimeType, data };
}

function toolCallPart({ id, name, input = {}, providerData }: ToolCall): unknown {
  return {
    type: "tool-call",
    toolCallId: id,
    toolName: name,
    input,
    ...(providerData !== undefined && { providerOptions: providerData }),
  };
}
