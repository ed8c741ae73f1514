import type { ModelContent, ModelMessage } from "../../interfaces/language-model.js";

export interface ChatSettings {
  readonly baseUrl: string;
  readonly model: string;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** The body of a streaming request to the chat completions API. The stream ends with the usage. */
export function toChatRequest(messages: readonly ModelMessage[], settings: ChatSettings): Record<string, unknown> {
  const { baseUrl, model, temperature, maxOutputTokens } = settings;
  return {
    model,
    messages: messages.map(({ role, content }) => ({
      role,
      content: typeof content === "string" ? content : content.map(contentPart),
    })),
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { [maxTokensField(baseUrl)]: maxOutputTokens }),
  };
}

/** OpenAI's newer models reject `max_tokens`, the only field that other servers support. */
function maxTokensField(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  const isOpenAI = hostname === "api.openai.com" || hostname.endsWith(".openai.azure.com");
  return isOpenAI ? "max_completion_tokens" : "max_tokens";
}

function contentPart(part: ModelContent): unknown {
  if (part.type === "text") return { type: "text", text: part.text };
  const url = `data:${part.mimeType};base64,${Buffer.from(part.bytes).toString("base64")}`;
  return { type: "image_url", image_url: { url } };
}
