/** Timeout for a language model's complete answer, in milliseconds. Reasoning models may need this long. */
export const ANSWER_TIMEOUT_MS = 120_000;
