/** What the lexical embedder's thread does. */
export interface LexicalOperations {
  /** The vectors of all texts, one after the other. */
  embed(texts: readonly string[]): Float32Array;
  countTokens(texts: readonly string[]): Uint32Array;
}
