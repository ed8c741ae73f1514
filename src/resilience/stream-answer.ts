import type {
  FinishReason,
  GenerateOptions,
  LanguageModel,
  ModelMessage,
  ToolCall,
} from "../interfaces/language-model.js";
import { noFinishReason } from "./collect-answer.js";

/**
 * Streams one answer of a language model, and rejects one that ends without a finish reason. A cancelled call, which may
 * still be running, reports nothing.
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
  // No generator: its `return` would wait for a pending part.
  const iterator: AsyncIterator<string | ToolCall> = {
    async next() {
      const part = await parts.next();
      if (!part.done || signal?.aborted) return part;
      if (!finish) throw noFinishReason(model);
      options.onFinish?.(finish);
      return part;
    },
    return: async () => (await parts.return?.()) ?? { done: true, value: undefined },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
