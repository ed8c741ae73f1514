import { KnowledgeBaseError } from "../../errors.js";
import type { AiSdkLanguageModel } from "../../interfaces/ai-sdk-language-model.js";
import type { CallUsage } from "../../interfaces/hosted.js";
import type { FinishReason, LanguageModel, ToolCall } from "../../interfaces/language-model.js";
import { aiSdkError } from "../../net/ai-sdk-error.js";
import { ANSWER_TIMEOUT_MS } from "../../net/answer-timeout.js";
import { parseToolInput } from "../parse-tool-input.js";
import { explainToolsError } from "../tools-error.js";
import { toAiSdkPrompt } from "./prompt.js";

const SUPPORTED_VERSIONS = ["v2", "v3", "v4"];

const FAILURE_REASONS = new Set(["unknown", "error", "interrupted"]);

/**
 * The fields that are read from a stream's parts. `finishReason` and `usage` are plain values in v2, objects since v3.
 */
interface StreamPart {
  readonly type: string;
  readonly delta?: string;
  readonly error?: unknown;
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** The input of a tool call, as JSON. */
  readonly input?: string;
  /** Whether the provider itself runs the tool. */
  readonly providerExecuted?: boolean | undefined;
  readonly providerMetadata?: unknown;
  readonly finishReason?: string | { readonly unified: string; readonly raw?: string | undefined };
  readonly usage?: Readonly<Record<"inputTokens" | "outputTokens", TokenCount>>;
}

type TokenCount = number | undefined | { readonly total?: number | undefined };

/**
 * Adapts a language model of the AI SDK.
 * @throws KnowledgeBaseError `unsupported` if the specification is not v2, v3 or v4
 */
export function aiSdkLanguageModel(model: AiSdkLanguageModel): LanguageModel {
  const { specificationVersion, provider, modelId } = model;
  if (!SUPPORTED_VERSIONS.includes(specificationVersion)) {
    const problem = `${provider} ${modelId} has specification version ${specificationVersion}`;
    throw new KnowledgeBaseError(
      "unsupported",
      `The language model ${problem}; supported: ${SUPPORTED_VERSIONS.join(", ")}`,
    );
  }
  const toError = (error: unknown) => aiSdkError(error, { code: "provider_failed", vendor: provider });

  return {
    provider,
    model: modelId,
    hosted: { endpoint: `ai-sdk:${provider}`, timeoutMs: ANSWER_TIMEOUT_MS },
    async *generate(messages, { signal, onUsage, onFinish, temperature, maxOutputTokens, tools = [] } = {}) {
      signal?.throwIfAborted();
      let finish: FinishReason | null = null;
      let hasToolCalls = false;
      try {
        const { stream } = await model.doStream({
          prompt: toAiSdkPrompt(messages, specificationVersion),
          ...(tools.length > 0 && {
            tools: tools.map((tool) => ({ type: "function", ...tool })),
            toolChoice: { type: "auto" },
          }),
          ...(temperature !== undefined && { temperature }),
          ...(maxOutputTokens !== undefined && { maxOutputTokens }),
          ...(signal && { abortSignal: signal }),
        } as never);
        for await (const part of stream as ReadableStream<StreamPart>) {
          // Parts received before the abort may still be queued.
          signal?.throwIfAborted();
          if (part.type === "error") throw part.error;
          if (part.type === "text-delta" && part.delta) yield part.delta;
          if (part.type === "reasoning-delta") yield "";
          if (part.type === "tool-call" && tools.length > 0 && !part.providerExecuted) {
            hasToolCalls = true;
            yield toToolCall(part);
          }
          if (part.type !== "finish") continue;
          finish = toFinishReason(part.finishReason, hasToolCalls);
          const usage = toUsage(part.usage);
          if (usage) onUsage?.(usage);
        }
      } catch (error) {
        throw signal?.aborted ? signal.reason : explainToolsError(toError(error), tools);
      }
      if (!finish) throw toError(new Error("the answer ended early"));
      onFinish?.(finish);
    },
  };
}

function toToolCall({ toolCallId, toolName, input, providerMetadata }: StreamPart): ToolCall {
  return {
    id: toolCallId ?? "",
    name: toolName ?? "",
    input: parseToolInput(input),
    ...(providerMetadata !== undefined && { providerData: providerMetadata }),
  };
}

/**
 * Returns `null` for an error, a missing reason or an interrupted stream, for which v2 gives `unknown`, v3 `other`
 * without a raw reason, and v4 `interrupted`. Some models report `stop` for tool calls.
 */
function toFinishReason(reason: StreamPart["finishReason"], hasToolCalls: boolean): FinishReason | null {
  const { unified, raw } = typeof reason === "object" ? reason : { unified: reason, raw: reason };
  if (unified === undefined || FAILURE_REASONS.has(unified)) return null;
  if (hasToolCalls && (unified === "tool-calls" || unified === "stop")) return "tool-calls";
  if (unified === "stop" || unified === "length" || unified === "content-filter") return unified;
  return raw === undefined ? null : "other";
}

function toUsage(usage: StreamPart["usage"]): CallUsage | null {
  const count = (tokens: TokenCount) => (typeof tokens === "object" ? tokens.total : tokens);
  const [inputTokens, outputTokens] = [count(usage?.inputTokens), count(usage?.outputTokens)];
  if (inputTokens === undefined && outputTokens === undefined) return null;
  return { ...(inputTokens !== undefined && { inputTokens }), ...(outputTokens !== undefined && { outputTokens }) };
}
