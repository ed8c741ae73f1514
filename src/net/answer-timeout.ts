/** The longest that a service may take for an answer, to its end, in milliseconds: models that think write for longer than others answer. */
export const ANSWER_TIMEOUT_MS = 120_000;
