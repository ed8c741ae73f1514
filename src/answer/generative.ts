import type { Engine } from "../engine/engine.js";
import type { CallUsage } from "../interfaces/hosted.js";
import type { FinishReason, LanguageModel, ModelMessage, ToolCall } from "../interfaces/language-model.js";
import type { SearchOptions } from "../search/search.js";
import type { SearchTarget } from "../search/sources.js";
import type { Answer, AnswerEvent, ChatMessage } from "./answer.js";
import { CitedText, type CitedTextEvent } from "./cited-text.js";
import { condenseQuestion } from "./condense-question.js";
import { findPassages } from "./find-passages.js";
import { buildSystemPrompt, recentHistory } from "./prompt.js";
import { RETRIEVAL_TOOLS, RetrievalTools } from "./retrieval-tools.js";
import { ShownPassages } from "./shown-passages.js";

/** The model, the mode and the prompt of an answer by a language model. */
export interface GenerationOptions {
  readonly generate: LanguageModel["generate"];
  readonly mode: "single" | "agentic";
  readonly history: readonly ChatMessage[];
  readonly instructions?: string | undefined;
  /** Maximum tokens of the passages in a prompt. */
  readonly contextTokens: number;
  /** The answer's text if there is none. */
  readonly noAnswerText: string;
}

/** The maximum number of model calls for one agentic answer. The last call has no tools, so that the model answers. */
const MAX_STEPS = 5;
/** A text of at most this length before a tool call, such as "Let me search.", isn't part of the answer. */
const MAX_PREAMBLE_LENGTH = 200;

/**
 * Answers a question with a language model: rewrites the question if it follows a conversation, searches, and cites the
 * passages that the model names. If no passage is found, the model isn't called. A text without citations counts as no
 * answer.
 */
export async function* answerWithModel<M>(
  engine: Engine,
  target: SearchTarget,
  question: string,
  options: GenerationOptions,
  search: SearchOptions<M>,
): AsyncGenerator<AnswerEvent<M>, Answer<M>> {
  const { generate, mode, history, contextTokens, noAnswerText } = options;
  const { signal } = search;
  let usage: CallUsage | undefined;
  const onUsage = (added: CallUsage) => {
    usage = sumUsage(usage, added);
  };
  const call = { ...(signal && { signal }), onUsage };
  const query = history.length > 0 ? await condenseQuestion(generate, question, history, call) : question;
  yield { type: "search", query };
  const found = await findPassages<M>(engine, target, query, search);
  const passages = new Map(found.map(({ hit }) => [hit.id, hit]));
  yield { type: "passages", passages: [...passages.values()] };

  const shown = new ShownPassages<M>(contextTokens);
  const answer = new CitedText(shown, engine.textEmbedder, { signal });
  let finish: FinishReason | undefined;
  if (found.length > 0) {
    const tools = mode === "agentic" ? new RetrievalTools<M>(engine, target, search, shown) : null;
    // Half of the context is reserved for passages that the tools find.
    shown.show(found, tools ? contextTokens / 2 : contextTokens);
    let messages = toMessages(question, options, shown, tools !== null);
    for (let step = 1; ; step++) {
      const offersTools = tools !== null && step < MAX_STEPS;
      // Some services reject a conversation that has tool calls but no tools, so the last step starts over.
      if (tools && !offersTools) messages = toMessages(question, options, shown, false);
      const onFinish = (reason: FinishReason) => {
        finish = reason;
      };
      const parts = generate(messages, { ...call, onFinish, ...(offersTools && { tools: RETRIEVAL_TOOLS }) });
      const { text, toolCalls } = yield* readReply(parts, answer, offersTools);
      if (!offersTools || toolCalls.length === 0) break;
      messages.push({ role: "assistant", content: text, toolCalls });
      for (const toolCall of toolCalls) {
        const { content, query, found } = await tools.run(toolCall);
        const added = found.map(({ hit }) => hit).filter(({ id }) => !passages.has(id));
        for (const hit of added) passages.set(hit.id, hit);
        if (query !== undefined) yield { type: "search", query };
        if (query !== undefined || added.length > 0) yield { type: "passages", passages: added };
        messages.push({ role: "tool", toolCallId: toolCall.id, toolName: toolCall.name, content });
      }
    }
    yield* answer.end();
  }
  const isEmpty = answer.text.trim() === "";
  if (isEmpty) yield { type: "text", text: noAnswerText };
  return {
    text: isEmpty ? noAnswerText : answer.text,
    mode,
    isAnswered: answer.citations.length > 0,
    citations: answer.citations,
    passages: [...passages.values()],
    ...(usage && { usage }),
    ...(finish && { finish }),
  };
}

function toMessages(
  question: string,
  { history, instructions }: GenerationOptions,
  shown: ShownPassages<unknown>,
  hasTools: boolean,
): ModelMessage[] {
  return [
    { role: "system", content: buildSystemPrompt({ instructions, hasTools }) },
    ...recentHistory(history),
    { role: "user", content: `${shown.text}\n\nQuestion: ${question}` },
  ];
}

/** Reads one reply of the model. Its text becomes part of the answer, unless it only announces tool calls. */
async function* readReply(
  parts: AsyncIterable<string | ToolCall>,
  answer: CitedText,
  offersTools: boolean,
): AsyncGenerator<CitedTextEvent, { readonly text: string; readonly toolCalls: readonly ToolCall[] }> {
  const toolCalls: ToolCall[] = [];
  let text = "";
  let held = offersTools ? "" : null;
  for await (const part of parts) {
    if (typeof part !== "string") {
      toolCalls.push(part);
      continue;
    }
    text += part;
    if (held === null) yield* answer.push(part);
    else {
      held += part;
      if (held.length <= MAX_PREAMBLE_LENGTH) continue;
      yield* answer.push(held);
      held = null;
    }
  }
  if (toolCalls.length === 0 && held) yield* answer.push(held);
  if (toolCalls.length > 0 && held === null) yield* answer.push("\n\n");
  return { text, toolCalls };
}

function sumUsage(sum: CallUsage = {}, added: CallUsage): CallUsage {
  const names = ["inputTokens", "outputTokens", "units"] as const;
  const counts = names.flatMap((name) => {
    const count = (sum[name] ?? 0) + (added[name] ?? 0);
    return count > 0 ? [[name, count] as const] : [];
  });
  return Object.fromEntries(counts);
}
