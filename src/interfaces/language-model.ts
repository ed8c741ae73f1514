import type { HostedCallOptions, HostedService } from "./hosted.js";

export type ModelMessage =
  | { readonly role: "system" | "assistant"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ModelContent[] };

export type ModelContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mimeType: string; readonly bytes: Uint8Array };

/** Why an answer ended: by itself, cut off at its most tokens, withheld by the service's filter, or for another reason of the service's. */
export type FinishReason = "stop" | "length" | "content-filter" | "other";

export interface GenerateOptions extends HostedCallOptions {
  /** 0 to 2. @default the model's own */
  readonly temperature?: number;
  /** @default the model's own */
  readonly maxOutputTokens?: number;
  /** Hears why the answer ended, once, after its last part. An answer that broke off fails instead. */
  onFinish?(reason: FinishReason): void;
}

/** An answer as a whole. */
export interface ModelAnswer {
  readonly text: string;
  readonly finish: FinishReason;
}

/** Asks a language model and waits for the whole answer. Fails where there is none, `retryable` where asking again may help. */
export type AskModel = (
  messages: readonly ModelMessage[],
  options?: Pick<GenerateOptions, "temperature" | "maxOutputTokens" | "signal">,
) => Promise<ModelAnswer>;

/** Writes text. A driver neither retries nor logs: the engine does. */
export interface LanguageModel {
  readonly provider: string;
  readonly model: string;
  readonly hosted?: HostedService;
  /**
   * The answer, part by part as it is written; what the model thinks before is no part of it. Nothing has been sent before the first part
   * is asked for, and the call ends when no more are. Fails where the answer ends without having been finished.
   */
  generate(messages: readonly ModelMessage[], options?: GenerateOptions): AsyncIterable<string>;
  close?(): Promise<void>;
}
