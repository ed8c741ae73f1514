import { chatMessagesSchema } from "../../validation/chat-schema.js";
import { parseInput } from "../../validation/parse-input.js";
import { stripUnknownKeys } from "../strip-unknown.js";
import { answerChunks } from "../ui-message-stream/answer-chunks.js";
import { readConversation } from "../ui-message-stream/read-conversation.js";
import { uiMessageResponse } from "../ui-message-stream/ui-message-response.js";
import type { ResolvedPageOptions } from "./page-options.js";
import { searchOptions, viewOf } from "./search-page.js";
import type { Visit } from "./visit.js";

/** Answers a visitor, who sends messages and nothing else: all options are those of the page's settings. */
export async function answerVisitor(visit: Visit, body: unknown, options: ResolvedPageOptions): Promise<Response> {
  const { call, namespace, settings, languageModel, language } = visit;
  const { noAnswer, whatAbout, errors } = language.strings.server;
  const { messages } = parseInput(chatMessagesSchema, stripUnknownKeys(chatMessagesSchema, body));
  const { question, history } = readConversation(messages);
  const ask = {
    ...(await searchOptions(visit)),
    history,
    instructions: settings.systemPrompt ?? undefined,
    languageModel,
    noAnswerText: noAnswer,
  };
  const mode = languageModel || call.kb.hasLanguageModel ? "single" : "extractive";
  return uiMessageResponse(
    (signal) =>
      answerChunks(namespace.ask(question, { ...ask, signal }), {
        ...{ question, mode, suggestion: whatAbout },
        ...viewOf(visit, options),
      }),
    { signal: call.signal, errorText: () => errors.internal, onError: call.onError },
  );
}
