import { z } from "../vendor/zod.js";
import { searchSchema } from "./search-schema.js";
import { strict } from "./strict.js";

const uiMessage = z.object({
  role: z.enum(["system", "user", "assistant"]),
  /** Parts of other types than `text` are ignored. */
  parts: z.array(z.looseObject({ type: z.string(), text: z.unknown().optional() })).max(1000),
});

/** A message as the AI SDK's clients send it. */
export type UiMessage = z.output<typeof uiMessage>;

/** The body that the AI SDK's `DefaultChatTransport` sends, as far as it is used. */
export const chatMessagesSchema = strict({ messages: z.array(uiMessage).min(1).max(100) });

const { topK, filter } = searchSchema.shape;

/** The same with the options of a caller that has a key. */
export const chatSchema = chatMessagesSchema.extend({
  mode: z.enum(["extractive", "single", "agentic"]).optional(),
  topK: topK.unwrap().optional(),
  filter,
});
