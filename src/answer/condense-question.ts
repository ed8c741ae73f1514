import type { GenerateOptions, LanguageModel } from "../interfaces/language-model.js";
import type { ChatMessage } from "./answer.js";
import { recentHistory } from "./prompt.js";

const MAX_QUESTION_TOKENS = 300;
const MAX_QUESTION_LENGTH = 1000;

const TASK = `Rewrite the last question of the conversation so that it can be understood without the conversation. \
Keep its language. Reply with the question only.`;

/**
 * Rewrites a question with a language model so that it can be understood without the conversation before it. Returns it
 * unchanged if the model's text is empty or too long to be a question.
 */
export async function condenseQuestion(
  generate: LanguageModel["generate"],
  question: string,
  history: readonly ChatMessage[],
  options: GenerateOptions,
): Promise<string> {
  const conversation = [...recentHistory(history), { role: "user", content: question }]
    .map(({ role, content }) => `${role === "user" ? "User" : "Assistant"}: ${content}`)
    .join("\n\n");
  const messages = [
    { role: "system", content: TASK },
    { role: "user", content: `${conversation}\n\nLast question: ${question}` },
  ] as const;
  let text = "";
  for await (const part of generate(messages, { ...options, temperature: 0, maxOutputTokens: MAX_QUESTION_TOKENS })) {
    if (typeof part === "string") text += part;
    if (text.length > MAX_QUESTION_LENGTH) return question;
  }
  const [line = ""] = text.trim().split("\n");
  const condensed = line
    .replace(/^(?:Last question|Question):\s*/i, "")
    .replace(/^"(.*)"$/, "$1")
    .trim();
  return condensed === "" ? question : condensed;
}
