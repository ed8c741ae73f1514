import type { CallUsage } from "../../interfaces/hosted.js";
import type { FinishReason, GenerateOptions, ToolCall } from "../../interfaces/language-model.js";
import type { ServerSentEvent } from "../../net/event-stream.js";
import { vendorError } from "../../net/vendor-error.js";
import { reasonIn } from "../../net/vendor-reason.js";
import { z } from "../../vendor/zod.js";
import { ToolCallDeltas, toolCallDeltaSchema } from "./tool-call-deltas.js";

const textSchema = z.string().nullish();
const countSchema = z.number().nullish();
const usageSchema = z.object({ prompt_tokens: countSchema, completion_tokens: countSchema });

/** The fields that are read from a chunk; servers add many others. */
const chunkSchema = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: textSchema,
            refusal: textSchema,
            // `reasoning_content` of DeepSeek and vLLM, `reasoning` of OpenRouter and Ollama.
            reasoning_content: textSchema,
            reasoning: textSchema,
            tool_calls: z.array(toolCallDeltaSchema).nullish(),
          })
          .nullish(),
        finish_reason: textSchema,
      }),
    )
    .nullish(),
  usage: usageSchema.nullish(),
});

/** An error instead of a chunk: `{"error": …}` of most servers, `{"object": "error", "message": …}` of vLLM. */
const errorSchema = z.union([
  z.object({ error: z.union([z.string(), z.looseObject({ code: z.unknown().optional() })]) }),
  z.object({ object: z.literal("error"), message: textSchema, code: z.unknown().optional() }),
]);

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "content-filter"],
]);

export interface ChatAnswerOptions {
  /** The vendor's name in error messages. */
  readonly vendor: string;
  readonly apiKey: string | undefined;
  /** Whether tools were offered; otherwise tool calls are ignored. */
  readonly hasTools: boolean;
  readonly onUsage: GenerateOptions["onUsage"] | undefined;
  readonly onFinish: GenerateOptions["onFinish"] | undefined;
}

/**
 * Yields the text of a streamed chat completion or of its refusal, an empty text for each part of its reasoning, and
 * finally its tool calls.
 * @throws KnowledgeBaseError `provider_failed` for an error event, an invalid event, and a stream that ends early
 */
export async function* readChatAnswer(
  events: AsyncIterable<ServerSentEvent>,
  { vendor, apiKey, hasTools, onUsage, onFinish }: ChatAnswerOptions,
): AsyncGenerator<string | ToolCall> {
  let finish: FinishReason | null = null;
  let usage: CallUsage | null = null;
  let isRefusal = false;
  const toError = (message: string, status: number | null = null) =>
    vendorError({ code: "provider_failed", vendor, status, message, apiKey });
  const deltas = new ToolCallDeltas(toError);

  for await (const { type, data } of events) {
    if (data === "[DONE]") break;
    const json = parseJson(data);
    const parsedError = errorSchema.safeParse(json);
    if (type === "error" || parsedError.success) {
      throw toError(
        reasonIn(json) ?? "an error event without a message",
        parsedError.success ? statusOf(parsedError.data) : null,
      );
    }
    const chunk = chunkSchema.safeParse(json);
    if (!chunk.success) throw toError("an invalid event");
    // One completion was requested, so there is one choice. Chunks without a choice report token usage or the results
    // of content filters.
    const [choice] = chunk.data.choices ?? [];
    for (const delta of [choice?.delta?.content, choice?.delta?.refusal]) if (delta) yield delta;
    if (choice?.delta?.reasoning_content || choice?.delta?.reasoning) yield "";
    if (hasTools) for (const delta of choice?.delta?.tool_calls ?? []) deltas.add(delta);
    isRefusal ||= Boolean(choice?.delta?.refusal);
    if (choice?.finish_reason) finish = FINISH_REASONS.get(choice.finish_reason) ?? "other";
    if (chunk.data.usage) usage = toUsage(chunk.data.usage);
  }
  if (usage) onUsage?.(usage);
  if (!finish) throw toError("the answer ended early");
  const toolCalls = deltas.complete();
  yield* toolCalls;
  // Some servers report `stop` for tool calls.
  if (toolCalls.length > 0 && (finish === "other" || finish === "stop")) finish = "tool-calls";
  onFinish?.(isRefusal ? "content-filter" : finish);
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** Returns the HTTP status of an error event, which some servers give as its code; `null` if there is none. */
function statusOf(event: z.output<typeof errorSchema>): number | null {
  const code = "error" in event ? typeof event.error === "object" && event.error.code : event.code;
  return typeof code === "number" && code >= 400 && code <= 599 ? code : null;
}

function toUsage({ prompt_tokens, completion_tokens }: z.output<typeof usageSchema>): CallUsage {
  return {
    ...(typeof prompt_tokens === "number" && { inputTokens: prompt_tokens }),
    ...(typeof completion_tokens === "number" && { outputTokens: completion_tokens }),
  };
}
