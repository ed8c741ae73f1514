import type { Hosted, HostedCallOptions } from "./hosted.js";

export interface ModelMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string | readonly ModelContent[];
}

export type ModelContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mimeType: string; readonly bytes: Uint8Array };

export interface GenerateOptions extends HostedCallOptions {
  /** 0 to 2. @default the model's own */
  readonly temperature?: number;
  /** @default the model's own */
  readonly maxOutputTokens?: number;
}

/** Writes text. A driver neither retries nor logs: the engine does. */
export interface LanguageModel {
  readonly provider: string;
  readonly model: string;
  readonly hosted?: Hosted;
  /** The answer, part by part as it is written. Nothing has been sent before the first part is asked for. */
  generate(messages: readonly ModelMessage[], options?: GenerateOptions): AsyncIterable<string>;
  close?(): Promise<void>;
}
