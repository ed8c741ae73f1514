import { KnowledgeBaseError } from "../errors.js";
import type {
  FinishReason,
  GenerateOptions,
  LanguageModel,
  ModelAnswer,
  ModelMessage,
} from "../interfaces/language-model.js";

/** Answers have at most 8,000 tokens, and a token rarely has more than ten characters. */
const MAX_ANSWER_CHARACTERS = 100_000;

/**
 * Asks a language model and collects the streamed answer. An answer of over 100,000 characters is cut off with finish
 * reason `length`. Rejects with the model's error; with a permanent error if the model calls a tool, since it was given
 * none; and at once with the signal's reason if the caller aborts, even if the model ignores its signal.
 */
export async function collectAnswer(
  model: LanguageModel,
  messages: readonly ModelMessage[],
  options: Omit<GenerateOptions, "onFinish" | "tools"> = {},
): Promise<ModelAnswer> {
  const { signal } = options;
  signal?.throwIfAborted();
  let onAbort: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal?.reason);
  });
  aborted.catch(() => {});
  signal?.addEventListener("abort", onAbort, { once: true });
  let finish: FinishReason | null = null;
  const onFinish = (reason: FinishReason) => {
    finish = reason;
  };
  const stream = model.generate(messages, { ...options, onFinish })[Symbol.asyncIterator]();
  try {
    let text = "";
    for (;;) {
      const { done, value } = await Promise.race([stream.next(), aborted]);
      if (done) break;
      if (typeof value !== "string") {
        throw new KnowledgeBaseError(
          "provider_failed",
          `${model.model} called the tool "${value.name}", but was given no tools.`,
        );
      }
      text += value;
      if (text.length > MAX_ANSWER_CHARACTERS) return { text, finish: "length" };
    }
    if (finish) return { text, finish };
    throw noFinishReasonError(model);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // Not awaited: a model that ignores its signal may never return.
    stream.return?.().catch(() => {});
  }
}

/** Creates the error for a driver that ends an answer without a finish reason: the answer may be incomplete. */
export function noFinishReasonError({ model }: LanguageModel): KnowledgeBaseError {
  return new KnowledgeBaseError("provider_failed", `${model} ended its answer without a finish reason.`);
}
