import { messageOf } from "../errors.js";

const MOST_CAUSES = 8;
/** Of a message, or a stack, which begins with it. */
const MOST_CHARACTERS = 16_384;

/**
 * What may be kept of an error that a vendor's package threw: its name, message, code, status and place, and the same of its causes. The
 * errors themselves hold requests and answers, with keys in their headers and documents in their bodies.
 *
 * @param clean Takes out of a text what must not be kept
 */
export function bareError(error: unknown, clean: (text: string) => string = (text) => text, depth = 0): unknown {
  if (error === undefined || error === null || depth > MOST_CAUSES) return undefined;
  if (!(error instanceof Error)) return clean(messageOf(error).slice(0, MOST_CHARACTERS));
  const cause = bareError(error.cause, clean, depth + 1);
  const bare = new Error(clean(error.message.slice(0, MOST_CHARACTERS)), cause === undefined ? undefined : { cause });
  const { code, status, statusCode } = error as unknown as Readonly<Record<string, unknown>>;
  const kept = Object.entries({ code, status, statusCode }).filter(([, value]) =>
    /^\w{1,40}$/.test(String(value ?? "")),
  );
  bare.name = clean(error.name);
  bare.stack = clean((error.stack ?? "").slice(0, MOST_CHARACTERS));
  return Object.assign(bare, Object.fromEntries(kept));
}
