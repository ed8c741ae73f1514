import type { z } from "zod";
import { KnowledgeBaseError } from "../../errors.js";
import { parseFilter } from "../../filter.js";
import type { AskOptions } from "../../index.js";
import { chatSchema } from "../../validation/chat-schema.js";
import { parseInput } from "../../validation/parse-input.js";
import { toHttpError } from "../errors.js";
import { type Call, route } from "../route.js";
import { answerChunks } from "../ui-message-stream/answer-chunks.js";
import { mediaTypesOf } from "../ui-message-stream/media-types.js";
import { readConversation } from "../ui-message-stream/read-conversation.js";
import { uiMessageResponse } from "../ui-message-stream/ui-message-response.js";

/** How passages are shown to a caller with a key: with all their metadata. */
const VIEW = { titlePath: null, metadataKeys: null };

export const chatRoutes = [
  route({
    operationId: "chat",
    summary: "Answer the last message with citations, as a UI message stream of the AI SDK (server-sent events)",
    method: "POST",
    path: "/v1/namespace/:namespaceId/chat",
    access: "read",
    tenant: true,
    forPrincipals: true,
    body: chatSchema,
    response: null,
    run: chat,
  }),
];

/** Checks everything before the stream starts, so that an invalid request gets an error status. */
async function chat(call: Call<z.input<typeof chatSchema>>): Promise<Response> {
  const { kb, organization, namespace, signal } = call;
  const { messages, mode, topK, filter, principals } = parseInput(chatSchema, call.body);
  const { question, history } = readConversation(messages);
  if (filter !== undefined) parseFilter(filter);
  const needsModel = mode === "single" || mode === "agentic";
  if (needsModel && !kb.hasLanguageModel)
    throw new KnowledgeBaseError(
      "invalid_input",
      `mode: ${mode} needs a language model, which this server doesn't have`,
    );
  await organization.namespaces.get(namespace.ref, { signal });
  const search = { mode, topK, principals, filter: filter as AskOptions["filter"] };
  const wireMode = mode ?? (kb.hasLanguageModel ? "single" : "extractive");
  return uiMessageResponse(
    (ended) =>
      answerChunks(namespace.ask(question, { ...search, history, signal: ended }), {
        ...{ question, mode: wireMode, ...VIEW },
        mediaTypeOf: mediaTypesOf(namespace),
      }),
    { signal, errorText: (error) => toHttpError(error).message, onError: call.onError },
  );
}
