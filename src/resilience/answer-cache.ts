import { createHash } from "node:crypto";
import type { GenerateText, ModelAnswer, ModelMessage } from "../interfaces/language-model.js";
import { LruCache } from "../util/lru-cache.js";

/** Maximum answers to keep, of a few hundred characters each. */
const MAX_ANSWERS = 2000;

/** Caches answers by prompt, so that no answer is paid for twice if a document is parsed again after a failure. */
export function cacheAnswers(ask: GenerateText): GenerateText {
  const answers = new LruCache<string, ModelAnswer>({ maxEntries: MAX_ANSWERS });
  return async (messages, options) => {
    const key = digest(messages);
    const cached = answers.get(key);
    if (cached) return cached;
    const answer = await ask(messages, options);
    answers.set(key, answer);
    return answer;
  };
}

function digest(messages: readonly ModelMessage[]): string {
  const hash = createHash("sha256");
  for (const { role, content } of messages) {
    for (const part of typeof content === "string" ? [{ type: "text", text: content } as const] : content) {
      hash.update(`\0${role} ${part.type}\0`).update(part.type === "text" ? part.text : part.bytes);
    }
  }
  return hash.digest("base64");
}
