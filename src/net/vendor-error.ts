import { KnowledgeBaseError } from "../errors.js";
import { bareError } from "./bare-error.js";
import { redactor } from "./redactor.js";
import { retryAfterMs } from "./retry-after.js";

/** An answer of a service that is no success, or a connection that gave none. */
export interface VendorFailure {
  /** Whether a model or a vector store was called. */
  readonly code: "provider_failed" | "store_failed";
  /** As in `OpenAI`. */
  readonly vendor: string;
  /** HTTP's; null where no answer came, or one that cannot be read. */
  readonly status: number | null;
  /** What the vendor says, or what became of the connection, whole: only its beginning is shown. */
  readonly message: string;
  /** The answer's headers, by names in lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** What the vendor's package threw: {@link bareError} tells what is kept of it. An error of ours in it decides over `retryable`. */
  readonly cause?: unknown;
  /** The key that the call was made with: it is taken out of what the vendor says, also where it was cut off. @default none */
  readonly apiKey?: string | undefined;
}

/** How much of a vendor's message is shown, and how much is searched for secrets: what is cut off before could not be recognised. */
const SHOWN = 500;
const SEARCHED = 16_384;

/** Answers that another attempt may change (RFC 9110, section 15; RFC 6585 for 429; RFC 8470 for 425). */
const TRANSIENT = new Set([408, 409, 425, 429]);

/** The vendor's refusal in our words: its status and message, whether trying again may help, and how long to wait before. */
export function vendorError(failure: VendorFailure): KnowledgeBaseError {
  const { code, vendor, status, message, headers = {}, cause, apiKey } = failure;
  const clean = redactor(apiKey ? [apiKey] : []);
  const retryable = status === null ? mayPass(cause) : TRANSIENT.has(status) || status >= 500;
  const answer = status === null ? "failed" : `answered ${status}`;
  return new KnowledgeBaseError(code, `${vendor} ${answer}: ${clean(message.slice(0, SEARCHED)).slice(0, SHOWN)}`, {
    cause: bareError(cause, clean),
    retryable,
    ...(status !== null && { vendorStatus: status }),
    ...(retryable && { retryAfterMs: retryAfterMs(headers, Date.now()) }),
  });
}

/** Whether a call that got no answer may get one later. The guarded fetch knows: an address that it refuses stays refused. */
function mayPass(cause: unknown): boolean {
  for (let at = cause; at instanceof Error; at = at.cause) if (KnowledgeBaseError.is(at)) return at.retryable;
  return true;
}
