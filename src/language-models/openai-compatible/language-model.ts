import { KnowledgeBaseError } from "../../errors.js";
import type { LanguageModel } from "../../interfaces/language-model.js";
import { apiKeySchema, baseUrlSchema } from "../../net/account-fields.js";
import { ANSWER_TIMEOUT_MS } from "../../net/answer-timeout.js";
import { z } from "../../vendor/zod.js";
import { explainToolsError } from "../tools-error.js";
import { readChatAnswer } from "./chat-answer.js";
import { toChatRequest } from "./chat-request.js";
import { postForEvents } from "./post-for-events.js";

export interface OpenAICompatibleOptions {
  /**
   * The base URL of the API: `https://api.openai.com/v1`, `http://localhost:11434/v1` for Ollama,
   * `http://localhost:1234/v1` for LM Studio.
   */
  readonly baseUrl: string;
  /** The name of the model on the server. */
  readonly model: string;
  /** Sent as a bearer token. @default none */
  readonly apiKey?: string | undefined;
  /** Sends the requests. @default the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

const optionsSchema = z.strictObject({
  baseUrl: baseUrlSchema,
  model: z.string().min(1),
  apiKey: apiKeySchema.optional(),
  fetch: z.custom<typeof globalThis.fetch>((value) => typeof value === "function", "must be a function").optional(),
});

/**
 * Creates a language model served by the chat completions API of OpenAI, Ollama, LM Studio, vLLM and many others.
 * Answers are streamed.
 *
 * @throws KnowledgeBaseError `invalid_input` if an option breaks its rule
 */
export function openAICompatible(options: OpenAICompatibleOptions): LanguageModel {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) throw invalidOptions(parsed.error.issues);
  const { baseUrl, model, apiKey, fetch = globalThis.fetch } = parsed.data;
  return {
    provider: "OPENAI_COMPATIBLE",
    model,
    hosted: { endpoint: baseUrl, timeoutMs: ANSWER_TIMEOUT_MS },
    async *generate(messages, { signal, onUsage, onFinish, tools = [], ...settings } = {}) {
      signal?.throwIfAborted();
      const service = { vendor: new URL(baseUrl).host, apiKey };
      const body = toChatRequest(messages, { baseUrl, model, tools, ...settings });
      const events = postForEvents(`${baseUrl}/chat/completions`, body, { ...service, fetch, signal });
      const hasTools = tools.length > 0;
      try {
        for await (const part of readChatAnswer(events, { ...service, hasTools, onUsage, onFinish })) {
          // Parts received before the abort may still be queued.
          signal?.throwIfAborted();
          yield part;
        }
      } catch (error) {
        throw explainToolsError(error, tools);
      }
    },
  };
}

function invalidOptions(zodIssues: readonly z.core.$ZodIssue[]): KnowledgeBaseError {
  const issues = zodIssues.map(({ path, message }) => ({ field: path.join(".") || "options", message }));
  const message = issues.map((issue) => `${issue.field}: ${issue.message}`).join("; ");
  return new KnowledgeBaseError("invalid_input", `openAICompatible: ${message}`, { issues });
}
