import type { HostedCallOptions, HostedService } from "./hosted.js";

/** A message to a language model. */
export type ModelMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ModelContent[] }
  | { readonly role: "assistant"; readonly content: string; readonly toolCalls?: readonly ToolCall[] }
  /** The result of a tool call of the assistant's message before it. */
  | { readonly role: "tool"; readonly toolCallId: string; readonly toolName: string; readonly content: string };

/** A part of a user's message. */
export type ModelContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mimeType: string; readonly bytes: Uint8Array };

/** A function that a language model may call. */
export interface ModelTool {
  readonly name: string;
  /** Tells the model what the tool does and when to call it. */
  readonly description: string;
  /** JSON Schema of the input, an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A call of a tool that a language model requests. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed JSON, not checked against the schema; `undefined` if it isn't JSON. */
  readonly input: unknown;
  /** Set by drivers whose service requires it with the call's result. JSON; send it back unchanged. */
  readonly providerData?: unknown;
}

/**
 * Why an answer ended: complete, at the token limit, by the service's content filter, to wait for the results of tool
 * calls, or for another reason.
 */
export type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "other";

/** Options of one call of a language model. */
export interface GenerateOptions extends HostedCallOptions {
  /** 0 to 2. @default the model's */
  readonly temperature?: number;
  /** @default the model's */
  readonly maxOutputTokens?: number;
  /** The tools that the model may call. @default none */
  readonly tools?: readonly ModelTool[];
  /** Called once after the last part of the answer. An interrupted answer fails instead. */
  onFinish?(reason: FinishReason): void;
}

/** A complete answer. */
export interface ModelAnswer {
  readonly text: string;
  readonly finish: FinishReason;
}

/** Asks a language model and waits for the complete answer. Its error is `retryable` if asking again may help. */
export type GenerateText = (
  messages: readonly ModelMessage[],
  options?: Pick<GenerateOptions, "temperature" | "maxOutputTokens" | "signal">,
) => Promise<ModelAnswer>;

/** Generates text. Retries and logging are done by the engine, not by the driver. */
export interface LanguageModel {
  readonly provider: string;
  readonly model: string;
  /** Set by drivers that call a service. */
  readonly hosted?: HostedService;
  /**
   * Streams the answer, without the model's reasoning. Nothing is sent before the first part is requested, and ending
   * the iteration early cancels the call. Fails if the answer is interrupted. Yields the text in parts, and, if there
   * are `tools`, calls of them. An empty part tells that the model is at work, such as reasoning: the timeout of a hosted
   * driver limits the wait for each part.
   */
  generate(messages: readonly ModelMessage[], options?: GenerateOptions): AsyncIterable<string | ToolCall>;
  close?(): Promise<void>;
}
