/** What we call of a language model of the AI SDK, specification v2 to v4: the objects of its provider packages have this shape. */
export interface AiSdkLanguageModel {
  /** As in `v3`. */
  readonly specificationVersion: string;
  /** As in `openai.chat`. */
  readonly provider: string;
  readonly modelId: string;
  /** Each version has a type of its own for the same call. */
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}
