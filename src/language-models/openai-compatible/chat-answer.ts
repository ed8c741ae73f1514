import type { CallUsage } from "../../interfaces/hosted.js";
import type { FinishReason, GenerateOptions } from "../../interfaces/language-model.js";
import type { ServerSentEvent } from "../../net/event-stream.js";
import { vendorError } from "../../net/vendor-error.js";
import { reasonIn } from "../../net/vendor-reason.js";
import { z } from "../../vendor/zod.js";

const text = z.string().nullish();
const count = z.number().nullish();
const usageSchema = z.object({ prompt_tokens: count, completion_tokens: count });

/** The used fields of a part; servers add many of their own. */
const partSchema = z.object({
  choices: z
    .array(z.object({ delta: z.object({ content: text, refusal: text }).nullish(), finish_reason: text }))
    .nullish(),
  usage: usageSchema.nullish(),
});

/** An error in place of a part: `{"error": …}` of most servers, `{"object": "error", "message": …}` of vLLM. */
const errorSchema = z.union([
  z.object({ error: z.union([z.string(), z.looseObject({ code: z.unknown().optional() })]) }),
  z.object({ object: z.literal("error"), message: text, code: z.unknown().optional() }),
]);

const FINISHES: ReadonlyMap<string, FinishReason> = new Map([
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "content-filter"],
]);

export interface ChatAnswerOptions {
  /** For error messages. */
  readonly vendor: string;
  readonly apiKey: string | undefined;
  readonly onUsage: GenerateOptions["onUsage"] | undefined;
  readonly onFinish: GenerateOptions["onFinish"] | undefined;
}

/**
 * The text of a streamed chat completion, including that of a refusal.
 * @throws KnowledgeBaseError `provider_failed` for an error event, an invalid event, and a stream that ends early
 */
export async function* chatAnswer(
  events: AsyncIterable<ServerSentEvent>,
  { vendor, apiKey, onUsage, onFinish }: ChatAnswerOptions,
): AsyncGenerator<string> {
  let finish: FinishReason | null = null;
  let usage: CallUsage | null = null;
  let isRefusal = false;
  const failed = (message: string, status: number | null = null) =>
    vendorError({ code: "provider_failed", vendor, status, message, apiKey });

  for await (const { type, data } of events) {
    if (data === "[DONE]") break;
    const json = jsonOf(data);
    const refused = errorSchema.safeParse(json);
    if (type === "error" || refused.success) {
      throw failed(
        reasonIn(json) ?? "an error event without a message",
        refused.success ? statusOf(refused.data) : null,
      );
    }
    const part = partSchema.safeParse(json);
    if (!part.success) throw failed("an invalid event");
    // One completion was requested, so there is one choice; parts without any report usage and filters.
    const [choice] = part.data.choices ?? [];
    for (const written of [choice?.delta?.content, choice?.delta?.refusal]) if (written) yield written;
    isRefusal ||= Boolean(choice?.delta?.refusal);
    if (choice?.finish_reason) finish = FINISHES.get(choice.finish_reason) ?? "other";
    if (part.data.usage) usage = usageOf(part.data.usage);
  }
  if (usage) onUsage?.(usage);
  if (!finish) throw failed("the answer ended early");
  onFinish?.(isRefusal ? "content-filter" : finish);
}

function jsonOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** The HTTP status that an error within the stream would have had as a response. */
function statusOf(refused: z.output<typeof errorSchema>): number | null {
  const code = "error" in refused ? typeof refused.error === "object" && refused.error.code : refused.code;
  return typeof code === "number" && code >= 400 && code <= 599 ? code : null;
}

function usageOf({ prompt_tokens, completion_tokens }: z.output<typeof usageSchema>): CallUsage {
  return {
    ...(typeof prompt_tokens === "number" && { inputTokens: prompt_tokens }),
    ...(typeof completion_tokens === "number" && { outputTokens: completion_tokens }),
  };
}
