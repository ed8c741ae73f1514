import type {
  FinishReason,
  GenerateOptions,
  LanguageModel,
  ModelMessage,
  ToolCall,
} from "../interfaces/language-model.js";
import { noFinishReasonError } from "./collect-answer.js";

/**
 * Streams one answer of a language model, and fails if the answer ends without a finish reason. A cancelled call, which
 * may still be running, reports no finish reason and doesn't fail for lack of one.
 */
export function streamAnswer(
  model: LanguageModel,
  messages: readonly ModelMessage[],
  options: GenerateOptions,
): AsyncIterable<string | ToolCall> {
  const { signal } = options;
  let finish: FinishReason | null = null;
  const onFinish = (reason: FinishReason) => {
    finish = reason;
  };
  const parts = model.generate(messages, { ...options, onFinish })[Symbol.asyncIterator]();
  // Not a generator, whose `return` would wait for a pending part.
  const iterator: AsyncIterator<string | ToolCall> = {
    async next() {
      const part = await parts.next();
      if (!part.done || signal?.aborted) return part;
      if (!finish) throw noFinishReasonError(model);
      options.onFinish?.(finish);
      return part;
    },
    return: async () => (await parts.return?.()) ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
