import { createHash } from "node:crypto";
import type { AskModel, ModelAnswer, ModelMessage } from "../interfaces/language-model.js";
import { LruCache } from "../util/lru-cache.js";

/** Answers are some hundred characters each. */
const MAX_ANSWERS = 2000;

/** Asks the same question once: a document that is prepared again, as after a failure, does not pay for what was answered before. */
export function cachedAnswers(ask: AskModel): AskModel {
  const answers = new LruCache<string, ModelAnswer>({ maxEntries: MAX_ANSWERS });
  return async (messages, options) => {
    const key = digestOf(messages);
    const known = answers.get(key);
    if (known) return known;
    const answer = await ask(messages, options);
    answers.set(key, answer);
    return answer;
  };
}

function digestOf(messages: readonly ModelMessage[]): string {
  const hash = createHash("sha256");
  for (const { role, content } of messages) {
    for (const part of typeof content === "string" ? [{ type: "text", text: content } as const] : content) {
      hash.update(`\0${role} ${part.type}\0`).update(part.type === "text" ? part.text : part.bytes);
    }
  }
  return hash.digest("base64");
}
