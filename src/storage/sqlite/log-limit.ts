/** A log that was larger is cut to this size when it is used again. */
export const MAX_LOG_BYTES = 64 * 1024 * 1024;
