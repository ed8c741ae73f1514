/** Timeout for a complete answer of a language model, in milliseconds. Reasoning models need this long. */
export const ANSWER_TIMEOUT_MS = 120_000;
