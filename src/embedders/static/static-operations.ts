/** What the static embedder's thread does. */
export interface StaticOperations {
  /** The vectors of all texts, one after the other, and the tokens of each. */
  embed(texts: readonly string[]): { readonly vectors: Float32Array; readonly tokens: Uint32Array };
  countTokens(texts: readonly string[]): Uint32Array;
}

export interface StaticSetup {
  /** Path of the table. */
  readonly table: string;
}
