import type { ZodType } from "zod";
import { isAbortError, KnowledgeBaseError, messageOf } from "../../errors.js";
import { redactor } from "../../net/redactor.js";
import { vendorError } from "../../net/vendor-error.js";
import { vendorReason } from "../../net/vendor-reason.js";

/** Of an answer that cannot be read. */
const SHOWN = 40;
/** More than is shown: a secret that was cut off could not be recognised. */
const SEARCHED = 16_384;
const NOT_FOUND = 404;

/** One call of a vendor's SDK. */
export interface VendorCall<Answer> {
  /** As in `Pinecone`. */
  readonly vendor: string;
  /** What the vendor may repeat in its messages and ours never show. */
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
  readonly signal: AbortSignal | undefined;
  /** What a valid answer looks like. */
  readonly answer: ZodType<Answer>;
  /** What it means that the namespace is not there; without it, that is a refusal like any other. */
  readonly whenMissing?: Answer;
  /** Makes the SDK send the request through the given fetch. What it returns is not looked at. */
  send(fetch: typeof globalThis.fetch): Promise<unknown>;
}

/**
 * Sends a request by a vendor's SDK and reads the answer itself: SDKs leave out of their errors what says whether to try again, and
 * out of their results what tells a valid answer.
 *
 * @throws KnowledgeBaseError `store_failed`
 */
export async function callVendor<Answer>(call: VendorCall<Answer>): Promise<Answer> {
  const { signal, whenMissing } = call;
  signal?.throwIfAborted();
  const exchange: Exchange = { status: null, body: undefined, failure: null };
  try {
    await call.send((input, init) => exchangeOnce(call, exchange, input, init));
  } catch (error) {
    signal?.throwIfAborted();
    if (exchange.status === NOT_FOUND && whenMissing !== undefined) return whenMissing;
    // Amid an answer that came whole, an SDK fails for its shape, which is checked here.
    if (exchange.failure !== null || exchange.body === undefined) throw exchange.failure ?? error;
  }
  const checked = call.answer.safeParse(exchange.body);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw unreadable(call.vendor, `${issue?.path.join(".") || "the answer"}: ${issue?.message}`);
}

/** Said of an answer that is none: another attempt may bring a better one. */
export function unreadable(vendor: string, problem: string): KnowledgeBaseError {
  const message = `${vendor} gave no valid answer: ${problem}`;
  return new KnowledgeBaseError("store_failed", message, { retryable: true });
}

interface Exchange {
  status: number | null;
  body: unknown;
  failure: unknown;
}

async function exchangeOnce<Answer>(
  call: VendorCall<Answer>,
  exchange: Exchange,
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
): Promise<Response> {
  try {
    const signals = [call.signal, init?.signal].filter((signal) => signal instanceof AbortSignal);
    const response = await call.fetch(input, { ...init, signal: AbortSignal.any(signals) });
    exchange.status = response.status;
    const text = await response.text();
    if (!response.ok) {
      throw vendorError({
        code: "store_failed",
        vendor: call.vendor,
        status: response.status,
        message: vendorReason(text) ?? plainReason(text),
        apiKey: call.apiKey,
        headers: Object.fromEntries(response.headers),
      });
    }
    exchange.body = parse(call, text);
    return new Response(text, { status: response.status, headers: { "content-type": "application/json" } });
  } catch (error) {
    exchange.failure = asFailure(call, error);
    throw exchange.failure;
  }
}

function asFailure({ vendor, apiKey }: Pick<VendorCall<unknown>, "vendor" | "apiKey">, error: unknown): unknown {
  if (KnowledgeBaseError.is(error) || isAbortError(error)) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return vendorError({ code: "store_failed", vendor, status: null, message: messageOf(cause), apiKey, cause });
}

function parse({ vendor, apiKey }: Pick<VendorCall<unknown>, "vendor" | "apiKey">, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const start = redactor([apiKey])(text.slice(0, SEARCHED)).slice(0, SHOWN);
    throw unreadable(vendor, `${JSON.stringify(start)} is not JSON`);
  }
}

/** Gateways before a service answer in text or HTML. */
function plainReason(text: string): string {
  return /^\s*</.test(text) ? "an HTML page" : text.trim() || "no reason given";
}
