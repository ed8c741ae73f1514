/** The limit of BERT and models derived from it, for a model without a known limit. */
const DEFAULT_TOKEN_LIMIT = 512;
/** Tokenizers without a limit declare 10^30. */
const MAX_PLAUSIBLE_LIMIT = 1e6;

/** Returns the lowest plausible of the limits that a model's tokenizer and configuration declare. */
export function tokenLimitOf(declared: readonly unknown[]): number {
  const plausible = declared.filter((limit) => typeof limit === "number" && limit <= MAX_PLAUSIBLE_LIMIT) as number[];
  return plausible.length > 0 ? Math.min(...plausible) : DEFAULT_TOKEN_LIMIT;
}
