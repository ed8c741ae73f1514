import type { ZodType } from "zod";
import { getErrorMessage, isAbortError, KnowledgeBaseError } from "../../errors.js";
import type { HostedCallOptions } from "../../interfaces/hosted.js";
import { redactor } from "../../net/redactor.js";
import { vendorError } from "../../net/vendor-error.js";
import { vendorReason } from "../../net/vendor-reason.js";

/** Maximum characters of an invalid response to show in an error. */
const MAX_SHOWN_LENGTH = 40;
/** Maximum characters to redact. Redaction precedes truncation: a truncated secret might not be recognized. */
const MAX_REDACTED_LENGTH = 16_384;
const NOT_FOUND = 404;

export interface VendorAccount {
  /** The vendor's name in error messages, such as `Pinecone`. */
  readonly vendor: string;
  /** Redacted from error messages. */
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
}

interface VendorCall<Result> extends VendorAccount {
  readonly signal: AbortSignal | undefined;
  readonly schema: ZodType<Result>;
  readonly notFoundResult: Result | undefined;
  send(fetch: typeof globalThis.fetch): Promise<unknown>;
}

/**
 * A function that sends a request with a vendor's SDK and returns the validated response.
 *
 * @param schema Schema of a valid response.
 * @param send Calls the SDK, whose result is ignored.
 * @param notFoundResult Returned for a 404, which means that the namespace does not exist. @default a 404 is an error
 * @throws KnowledgeBaseError `store_failed`
 */
export type CallVendor<Sdk> = <Result>(
  schema: ZodType<Result>,
  options: HostedCallOptions | undefined,
  send: (sdk: Sdk) => Promise<unknown>,
  notFoundResult?: Result,
) => Promise<Result>;

/**
 * Returns a function that sends requests with a vendor's SDK and reads the raw responses: the SDKs' errors don't say
 * whether to retry, and their results do not show whether the response was valid.
 *
 * @param open Creates the SDK's client with the given fetch.
 */
export function vendorCaller<Sdk>(
  account: VendorAccount,
  open: (fetch: typeof globalThis.fetch) => Sdk,
): CallVendor<Sdk> {
  return (schema, options, send, notFoundResult) =>
    callVendor({ ...account, signal: options?.signal, schema, notFoundResult, send: (fetch) => send(open(fetch)) });
}

async function callVendor<Result>(call: VendorCall<Result>): Promise<Result> {
  const { signal, notFoundResult } = call;
  signal?.throwIfAborted();
  const exchange: Exchange = { status: null, body: undefined, failure: null };
  try {
    await call.send((input, init) => recordExchange(call, exchange, input, init));
  } catch (error) {
    signal?.throwIfAborted();
    if (exchange.status === NOT_FOUND && notFoundResult !== undefined) return notFoundResult;
    // An SDK's error about a complete response concerns the response's structure, which is checked below.
    if (exchange.failure !== null || exchange.body === undefined) throw exchange.failure ?? error;
  }
  const parsed = call.schema.safeParse(exchange.body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidResponse(call.vendor, `${issue?.path.join(".") || "the body"}: ${issue?.message}`);
}

/** Creates a retryable error for an invalid response. */
export function invalidResponse(vendor: string, problem: string): KnowledgeBaseError {
  const message = `${vendor} returned an invalid response: ${problem}`;
  return new KnowledgeBaseError("store_failed", message, { retryable: true });
}

/** What a request received: a response's status and body, or a failure. */
interface Exchange {
  status: number | null;
  body: unknown;
  failure: unknown;
}

/** Sends a request as `fetch` does, and records its outcome in `exchange`. */
async function recordExchange<Result>(
  call: VendorCall<Result>,
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
    exchange.body = parseBody(call, text);
    return new Response(text, { status: response.status, headers: { "content-type": "application/json" } });
  } catch (error) {
    exchange.failure = toFailure(call, error);
    throw exchange.failure;
  }
}

function toFailure({ vendor, apiKey }: Pick<VendorCall<unknown>, "vendor" | "apiKey">, error: unknown): unknown {
  if (KnowledgeBaseError.is(error) || isAbortError(error)) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return vendorError({ code: "store_failed", vendor, status: null, message: getErrorMessage(cause), apiKey, cause });
}

function parseBody({ vendor, apiKey }: Pick<VendorCall<unknown>, "vendor" | "apiKey">, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const start = redactor([apiKey])(text.slice(0, MAX_REDACTED_LENGTH)).slice(0, MAX_SHOWN_LENGTH);
    throw invalidResponse(vendor, `${JSON.stringify(start)} is not JSON`);
  }
}

/** Returns the reason in a response that is not JSON: gateways respond in text or HTML. */
function plainReason(text: string): string {
  return /^\s*</.test(text) ? "an HTML page" : text.trim() || "no reason given";
}
