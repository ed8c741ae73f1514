/**
 * Timeout for a language model's complete answer or, if it is streamed, for each part, in milliseconds. Reasoning
 * models may need this long.
 */
export const ANSWER_TIMEOUT_MS = 120_000;
