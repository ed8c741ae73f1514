import type { ModelContent, ModelMessage, ModelTool, ToolCall } from "../../interfaces/language-model.js";

export interface ChatSettings {
  readonly baseUrl: string;
  readonly model: string;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly tools?: readonly ModelTool[] | undefined;
}

/** Builds the body of a streaming request to the chat completions API. The stream ends with the usage. */
export function toChatRequest(messages: readonly ModelMessage[], settings: ChatSettings): Record<string, unknown> {
  const { baseUrl, model, temperature, maxOutputTokens, tools = [] } = settings;
  return {
    model,
    messages: messages.map(toRequestMessage),
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { [maxTokensField(baseUrl)]: maxOutputTokens }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        function: { name, description, parameters: inputSchema },
      })),
    }),
  };
}

function toRequestMessage(message: ModelMessage): unknown {
  const { role, content } = message;
  if (role === "tool") return { role, tool_call_id: message.toolCallId, content };
  if (role === "assistant" && message.toolCalls?.length) {
    // `null`, as OpenAI writes it: servers reject empty or missing content.
    return { role, content: content || null, tool_calls: message.toolCalls.map(toRequestToolCall) };
  }
  return { role, content: typeof content === "string" ? content : content.map(toContentPart) };
}

function toRequestToolCall({ id, name, input = {}, providerData }: ToolCall): unknown {
  return {
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
    ...(providerData !== undefined && { extra_content: providerData }),
  };
}

/** Returns the field of the token limit. OpenAI's newer models reject `max_tokens`, which other servers require. */
function maxTokensField(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const isOpenAI = hostname === "api.openai.com" || hostname.endsWith(".openai.azure.com");
  return isOpenAI ? "max_completion_tokens" : "max_tokens";
}

function toContentPart(part: ModelContent): unknown {
  if (part.type === "text") return { type: "text", text: part.text };
  const url = `data:${part.mimeType};base64,${Buffer.from(part.bytes).toString("base64")}`;
  return { type: "image_url", image_url: { url } };
}
