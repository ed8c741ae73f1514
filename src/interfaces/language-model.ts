import type { HostedCallOptions, HostedService } from "./hosted.js";

/** A message to a language model. */
export type ModelMessage =
  | { readonly role: "system" | "assistant"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ModelContent[] };

/** A part of a user's message. */
export type ModelContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mimeType: string; readonly bytes: Uint8Array };

/** Why an answer ended: complete, at the token limit, by the service's content filter, or for another reason. */
export type FinishReason = "stop" | "length" | "content-filter" | "other";

/** Options of one call of a language model. */
export interface GenerateOptions extends HostedCallOptions {
  /** 0 to 2. @default the model's */
  readonly temperature?: number;
  /** @default the model's */
  readonly maxOutputTokens?: number;
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
   * the iteration early cancels the call. Fails if the answer is interrupted.
   */
  generate(messages: readonly ModelMessage[], options?: GenerateOptions): AsyncIterable<string>;
  close?(): Promise<void>;
}
