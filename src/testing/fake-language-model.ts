import type { CallUsage } from "../interfaces/hosted.js";
import type {
  FinishReason,
  GenerateOptions,
  LanguageModel,
  ModelMessage,
  ToolCall,
} from "../interfaces/language-model.js";
import { waitFor } from "./wait-for.js";

/**
 * A part of a fake answer:
 * - a text, streamed in chunks,
 * - a tool call, which gets an id if it has none,
 * - an error, with which the answer fails,
 * - a promise, which the answer waits for; a promise that never settles makes a call that never ends,
 * - a finish reason, which ends the answer.
 */
export type FakePart =
  | string
  | (Omit<ToolCall, "id"> & Partial<Pick<ToolCall, "id">>)
  | Error
  | Promise<unknown>
  | { readonly finish: FinishReason };

/** One fake answer: a text, an error, or parts in order. An infinite iterable makes an endless answer. */
export type FakeAnswer = string | Error | Iterable<FakePart>;

/** The messages and options of one call of a fake language model. */
export interface FakeModelCall extends Pick<GenerateOptions, "temperature" | "maxOutputTokens" | "tools"> {
  readonly messages: readonly ModelMessage[];
}

export interface FakeLanguageModelOptions {
  /** @default "FAKE" */
  readonly provider?: string;
  /** @default "fake-1" */
  readonly model?: string;
  /** The answer to each call, in order. @default [] */
  readonly script?: readonly FakeAnswer[];
  /** The answer to every call after the script. @default the text of the last message */
  readonly answer?: string | ((call: FakeModelCall) => FakeAnswer | Promise<FakeAnswer>);
  /** Maximum length of a streamed chunk of text, in code points. @default 8 */
  readonly chunkSize?: number;
  /** The usage that each call reports when it ends. @default none */
  readonly usage?: CallUsage;
  /** Whether calls ignore their signal. Ending the iteration still ends a call. @default false */
  readonly ignoresSignal?: boolean;
}

export interface FakeLanguageModel extends LanguageModel {
  /** Every call that has started so far. */
  readonly calls: readonly FakeModelCall[];
  /** The number of calls that have started, but have neither ended nor failed, and whose iteration wasn't ended. */
  readonly open: number;
  readonly closed: boolean;
}

/**
 * Creates a deterministic language model that answers from a script or a rule, calls tools, fails after any part, or
 * never ends. The finish reason is `tool-calls` after a tool call, else `stop`, unless the answer sets another.
 *
 * @example
 * const model = fakeLanguageModel({
 *   script: [
 *     [{ name: "search", input: { query: "lamp" } }],
 *     "At dusk [1].",
 *     ["At ", new Error("connection lost")],
 *   ],
 *   answer: ({ messages }) => `${messages.length} messages`,
 * });
 */
export function fakeLanguageModel({
  provider = "FAKE",
  model = "fake-1",
  script = [],
  answer = lastText,
  chunkSize = 8,
  usage,
  ignoresSignal = false,
}: FakeLanguageModelOptions = {}): FakeLanguageModel {
  const calls: FakeModelCall[] = [];
  let openCount = 0;
  let closed = false;
  let toolCallCount = 0;

  async function* stream(parts: Iterable<FakePart>, signal: AbortSignal | undefined): AsyncGenerator<ModelPart> {
    for (const part of parts) {
      if (part instanceof Error) throw part;
      if (part instanceof Promise) await waitFor(part, signal);
      else if (typeof part === "string") yield* chunksOf(part, chunkSize);
      else if ("finish" in part) {
        yield part;
        return;
      } else yield { id: `call-${++toolCallCount}`, ...part };
    }
  }

  return {
    provider,
    model,
    calls,
    get open() {
      return openCount;
    },
    get closed() {
      return closed;
    },
    async *generate(messages, { temperature, maxOutputTokens, tools, ...options } = {}) {
      const signal = ignoresSignal ? undefined : options.signal;
      signal?.throwIfAborted();
      const call: FakeModelCall = {
        messages: structuredClone(messages),
        ...(temperature !== undefined && { temperature }),
        ...(maxOutputTokens !== undefined && { maxOutputTokens }),
        ...(tools && { tools }),
      };
      calls.push(call);
      const scripted = script[calls.length - 1];
      openCount++;
      try {
        let finish: FinishReason = "stop";
        const rule = typeof answer === "string" ? () => answer : answer;
        for await (const part of stream(partsOf(scripted ?? (await rule(call))), signal)) {
          signal?.throwIfAborted();
          if (typeof part === "object" && "finish" in part) finish = part.finish;
          else {
            if (typeof part === "object") finish = "tool-calls";
            yield part;
          }
        }
        signal?.throwIfAborted();
        if (usage) options.onUsage?.(usage);
        options.onFinish?.(finish);
      } finally {
        openCount--;
      }
    },
    async close() {
      closed = true;
    },
  };
}

type ModelPart = string | ToolCall | { readonly finish: FinishReason };

function partsOf(answer: FakeAnswer): Iterable<FakePart> {
  return typeof answer === "string" || answer instanceof Error ? [answer] : answer;
}

function chunksOf(text: string, size: number): string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / size);
  return Array.from({ length: count }, (_, index) => characters.slice(index * size, (index + 1) * size).join(""));
}

function lastText({ messages }: FakeModelCall): string {
  const { content = "" } = messages.at(-1) ?? {};
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
