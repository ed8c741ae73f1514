import { z } from "../vendor/zod.js";
import { principalsSchema } from "./principals-schema.js";
import { searchSchema } from "./search-schema.js";
import { strict } from "./strict.js";

const uiMessageSchema = z.object({
  role: z.enum(["system", "user", "assistant"]),
  /** Parts of other types than `text` are ignored. */
  parts: z.array(z.looseObject({ type: z.string(), text: z.unknown().optional() })).max(1000),
});

/** A message in the form that the AI SDK's clients send. */
export type UiMessage = z.output<typeof uiMessageSchema>;

/** The used part of the body that the AI SDK's `DefaultChatTransport` sends. */
export const chatMessagesSchema = strict({ messages: z.array(uiMessageSchema).min(1).max(100) });

const { topK, filter } = searchSchema.shape;

/** That body with the options that callers with an API key may add. */
export const chatSchema = chatMessagesSchema.extend({
  mode: z.enum(["extractive", "single", "agentic"]).optional(),
  topK: topK.unwrap().optional(),
  filter,
  principals: principalsSchema.optional(),
});
