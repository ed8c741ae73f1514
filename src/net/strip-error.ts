import { getErrorMessage } from "../errors.js";

const MAX_CAUSES = 8;
/** Maximum length of a message, and of a stack, which begins with the message. */
const MAX_CHARACTERS = 16_384;

/**
 * Copies the name, message, code, status and stack of a vendor package's error and its causes. The original errors hold
 * requests and responses, with API keys in the headers and documents in the bodies.
 *
 * @param redact Masks secrets in a text.
 * @param depth Number of errors above this one in the chain of causes.
 */
export function stripError(error: unknown, redact: (text: string) => string = (text) => text, depth = 0): unknown {
  if (error === undefined || error === null || depth > MAX_CAUSES) return undefined;
  if (!(error instanceof Error)) return redact(getErrorMessage(error).slice(0, MAX_CHARACTERS));
  const cause = stripError(error.cause, redact, depth + 1);
  const copy = new Error(redact(error.message.slice(0, MAX_CHARACTERS)), cause === undefined ? undefined : { cause });
  const { code, status, statusCode } = error as unknown as Readonly<Record<string, unknown>>;
  const fields = Object.entries({ code, status, statusCode }).filter(([, value]) =>
    /^\w{1,40}$/.test(String(value ?? "")),
  );
  copy.name = redact(error.name);
  copy.stack = redact((error.stack ?? "").slice(0, MAX_CHARACTERS));
  return Object.assign(copy, Object.fromEntries(fields));
}
