import { KnowledgeBaseError } from "../errors.js";
import type {
  FinishReason,
  GenerateOptions,
  LanguageModel,
  ModelAnswer,
  ModelMessage,
} from "../interfaces/language-model.js";

/** Characters; most tokens of an answer are eight thousand, and a token is seldom ten. */
const LONGEST_ANSWER = 100_000;

/**
 * Asks a language model and waits for the whole answer. One that goes on beyond 100,000 characters ends there, as one that was cut off at its
 * most tokens does. Fails as the model does; with the reason of the signal at once where that is aborted, whether or not the model minds it.
 */
export async function wholeAnswer(
  model: LanguageModel,
  messages: readonly ModelMessage[],
  options: Omit<GenerateOptions, "onFinish"> = {},
): Promise<ModelAnswer> {
  const { signal } = options;
  signal?.throwIfAborted();
  let end: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(signal?.reason);
  });
  aborted.catch(() => {});
  signal?.addEventListener("abort", end, { once: true });
  let finish: FinishReason | null = null;
  const onFinish = (reason: FinishReason) => {
    finish = reason;
  };
  const parts = model.generate(messages, { ...options, onFinish })[Symbol.asyncIterator]();
  try {
    let text = "";
    for (;;) {
      const { done, value } = await Promise.race([parts.next(), aborted]);
      if (done) break;
      text += value;
      if (text.length > LONGEST_ANSWER) return { text, finish: "length" };
    }
    if (finish) return { text, finish };
    throw new KnowledgeBaseError("provider_failed", `${model.model} ended its answer without saying why.`);
  } finally {
    signal?.removeEventListener("abort", end);
    // It is not waited for: a model that has not minded the signal may mind nothing.
    parts.return?.().catch(() => {});
  }
}
