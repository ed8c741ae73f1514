import { KnowledgeBaseError } from "../../errors.js";
import type { AiSdkLanguageModel } from "../../interfaces/ai-sdk-language-model.js";
import type { CallUsage } from "../../interfaces/hosted.js";
import type { FinishReason, LanguageModel, ModelContent, ModelMessage } from "../../interfaces/language-model.js";
import { aiSdkError } from "../../net/ai-sdk-error.js";
import { ANSWER_TIMEOUT_MS } from "../../net/answer-timeout.js";

const SUPPORTED_VERSIONS = ["v2", "v3", "v4"];

/** The fields read from a stream's parts. `finishReason` and `usage` are plain values in v2, objects since v3. */
interface StreamPart {
  readonly type: string;
  readonly delta?: string;
  readonly error?: unknown;
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
    async *generate(messages, { signal, onUsage, onFinish, temperature, maxOutputTokens } = {}) {
      signal?.throwIfAborted();
      let finish: FinishReason | null = null;
      try {
        const { stream } = await model.doStream({
          prompt: messages.map((message) => promptMessage(message, specificationVersion)),
          ...(temperature !== undefined && { temperature }),
          ...(maxOutputTokens !== undefined && { maxOutputTokens }),
          ...(signal && { abortSignal: signal }),
        } as never);
        for await (const part of stream as ReadableStream<StreamPart>) {
          // Parts received before the signal may still be queued.
          signal?.throwIfAborted();
          if (part.type === "error") throw part.error;
          if (part.type === "text-delta" && part.delta) yield part.delta;
          if (part.type !== "finish") continue;
          finish = finishOf(part.finishReason);
          const usage = usageOf(part.usage);
          if (usage) onUsage?.(usage);
        }
      } catch (error) {
        throw signal?.aborted ? signal.reason : toError(error);
      }
      if (!finish) throw toError(new Error("the answer ended early"));
      onFinish?.(finish);
    },
  };
}

function promptMessage({ role, content }: ModelMessage, version: string): unknown {
  if (role === "system") return { role, content };
  const parts = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  return { role, content: parts.map((part) => promptPart(part, version)) };
}

function promptPart(part: ModelContent, version: string): unknown {
  if (part.type === "text") return part;
  const data = version === "v4" ? { type: "data", data: part.bytes } : part.bytes;
  return { type: "file", mediaType: part.mimeType, data };
}

/** `null` for an error or a missing reason, as after a broken stream: v2 says `unknown`, later ones a bare `other`. */
function finishOf(reason: StreamPart["finishReason"]): FinishReason | null {
  const { unified, raw } = typeof reason === "object" ? reason : { unified: reason, raw: reason };
  if (unified === undefined || unified === "unknown" || unified === "error") return null;
  if (unified === "stop" || unified === "length" || unified === "content-filter") return unified;
  return raw === undefined ? null : "other";
}

function usageOf(usage: StreamPart["usage"]): CallUsage | null {
  const count = (tokens: TokenCount) => (typeof tokens === "object" ? tokens.total : tokens);
  const [inputTokens, outputTokens] = [count(usage?.inputTokens), count(usage?.outputTokens)];
  if (inputTokens === undefined && outputTokens === undefined) return null;
  return { ...(inputTokens !== undefined && { inputTokens }), ...(outputTokens !== undefined && { outputTokens }) };
}
