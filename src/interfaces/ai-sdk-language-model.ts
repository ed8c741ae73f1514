/**
 * The part of an AI SDK language model (specification v2 to v4) that Lorebase uses. The models of its provider packages
 * fit this type.
 */
export interface AiSdkLanguageModel {
  /** Such as `v3`. */
  readonly specificationVersion: string;
  /** Such as `openai.chat`. */
  readonly provider: string;
  readonly modelId: string;
  /** The type of the options differs between versions of the specification. */
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}
