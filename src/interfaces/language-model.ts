import type { HostedCallOptions, HostedService } from "./hosted.js";

/** A message to a language model. */
export type ModelMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ModelContent[] }
  | { readonly role: "assistant"; readonly content: string; readonly toolCalls?: readonly ToolCall[] }
  /** The result of a tool call in the preceding message of the assistant. */
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

/** A tool call that a language model requests. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed JSON, not checked against the schema; `undefined` if it isn't JSON. */
  readonly input: unknown;
  /** JSON to send back unchanged with the call's result. Set by drivers whose service requires it. */
  readonly providerData?: unknown;
}

/**
 * Why an answer ended: it is complete, reached the token limit, was stopped by the service's content filter, waits for
 * the results of tool calls, or ended for another reason.
 */
export type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "other";

/** Options of one call of a language model. */
export interface GenerateOptions extends HostedCallOptions {
  /** Sampling temperature, 0 to 2. @default the model's */
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

/** Asks a language model and returns the complete answer. An error is `retryable` if asking again may help. */
export type GenerateText = (
  messages: readonly ModelMessage[],
  options?: Pick<GenerateOptions, "temperature" | "maxOutputTokens" | "signal">,
) => Promise<ModelAnswer>;

/** Generates text. The engine, not the driver, retries and logs calls. */
export interface LanguageModel {
  readonly provider: string;
  readonly model: string;
  /** Set by drivers that call a service. */
  readonly hosted?: HostedService;
  /**
   * Streams the answer, without the model's reasoning. Nothing is sent before the first part is requested, and ending
   * the iteration early cancels the call. Fails if the answer is interrupted. Yields the text in parts and, if there
   * are `tools`, tool calls. An empty part shows that the model is still working, such as reasoning: the timeout of a
   * hosted driver limits the wait for each part.
   */
  generate(messages: readonly ModelMessage[], options?: GenerateOptions): AsyncIterable<string | ToolCall>;
  close?(): Promise<void>;
}
