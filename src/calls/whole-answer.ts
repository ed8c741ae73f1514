import { KnowledgeBaseError } from "../errors.js";
import type {
  FinishReason,
  GenerateOptions,
  LanguageModel,
  ModelAnswer,
  ModelMessage,
} from "../interfaces/language-model.js";

/** Asks a language model and waits for the whole answer. Fails as the model does. */
export async function wholeAnswer(
  model: LanguageModel,
  messages: readonly ModelMessage[],
  options: GenerateOptions = {},
): Promise<ModelAnswer> {
  let text = "";
  let finish: FinishReason | null = null;
  const onFinish = (reason: FinishReason) => {
    finish = reason;
    options.onFinish?.(reason);
  };
  for await (const part of model.generate(messages, { ...options, onFinish })) text += part;
  if (finish === null) {
    const message = `The language model ${model.model} ended its answer without saying why.`;
    throw new KnowledgeBaseError("provider_failed", message);
  }
  return { text, finish };
}
