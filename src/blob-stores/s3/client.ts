import { createHash } from "node:crypto";
import type { Agent } from "undici";
import { getErrorMessage, KnowledgeBaseError } from "../../errors.js";
import { vendorError } from "../../net/vendor-error.js";
import { backoffMs } from "../../util/backoff.js";
import { type Clock, systemClock } from "../../util/clock.js";
import type { ResolvedS3Options, S3Credentials } from "./options.js";
import { xmlText } from "./xml.js";

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** `null` for the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** Error statuses that the caller handles; any other throws. @default none */
  readonly expected?: readonly number[];
}

export interface S3PresignRequest {
  readonly method: "GET" | "PUT";
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The client must send them with the same values. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly expiresInSeconds: number;
}

export interface S3Copy {
  readonly from: string;
  readonly to: string;
  readonly etag: string;
  readonly signal: AbortSignal | undefined;
}

interface RequestToSign extends Pick<S3Request, "method" | "key"> {
  readonly query: Readonly<Record<string, string>> | undefined;
  readonly headers: Record<string, string>;
  /** Whether to sign in the query rather than in a header. */
  readonly signQuery?: boolean;
  /** Whether to sign all headers, also those that proxies may change. */
  readonly allHeaders?: boolean;
}

const MAX_ATTEMPTS = 5;
const BACKOFF = { firstMs: 200, maxMs: 10_000, jitter: 1 };
/** Timeout for connecting. */
const CONNECT_MS = 10_000;
/** Timeout for the headers, and between two chunks of the body. */
const IDLE_MS = 60_000;

/** Sends signed requests for the objects of one bucket, and retries those that fail with a transient error. */
export class S3Client {
  readonly #options: ResolvedS3Options;
  readonly #clock: Clock;
  #agent: Promise<Agent> | null = null;

  constructor(options: ResolvedS3Options, clock: Clock = systemClock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** @throws KnowledgeBaseError `store_failed` for a status that is neither a success nor expected */
  send(request: S3Request): Promise<Response> {
    return this.retry(() => this.sendOnce(request), request.signal);
  }

  /** Calls again after a retryable error, up to five attempts. */
  async retry<Result>(call: (attempt: number) => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      try {
        return await call(attempt);
      } catch (error) {
        signal?.throwIfAborted();
        if (!KnowledgeBaseError.is(error) || !error.retryable || attempt === MAX_ATTEMPTS) throw error;
        await this.#clock.sleep(error.retryAfterMs ?? backoffMs(attempt, BACKOFF, this.#clock.random()), signal);
      }
    }
  }

  async sendOnce({ method, key, query, headers, body, signal, expected = [] }: S3Request): Promise<Response> {
    const credentials = await this.#options.getCredentials();
    // The service rejects a body that doesn't match this hash.
    const hash = body && { "x-amz-content-sha256": createHash("sha256").update(body).digest("hex") };
    const signer = await this.#createSigner(credentials, { method, key, query, headers: { ...headers, ...hash } });
    const signed = await signer.sign();
    // Not signed, since proxies change it. A compressed answer would have another length.
    signed.headers.set("accept-encoding", "identity");
    let response: Response;
    try {
      const { fetch } = await import("undici");
      const init = { method, headers: [...signed.headers], body: body ?? null, signal: signal ?? null };
      const dispatcher = await this.#openAgent();
      response = (await fetch(signed.url, { ...init, redirect: "manual", dispatcher })) as unknown as Response;
    } catch (error) {
      signal?.throwIfAborted();
      throw connectionError(error);
    }
    if (response.ok || expected.includes(response.status)) return response;
    throw await this.#responseError(response, credentials);
  }

  /**
   * Copies an object of at most 5 GiB.
   * @throws KnowledgeBaseError `store_failed` if the object's ETag is not `etag`
   */
  copy({ from, to, etag, signal }: S3Copy): Promise<void> {
    const source = `${this.#options.copySource}${from}`;
    const headers = { "x-amz-copy-source": source, "x-amz-copy-source-if-match": etag };
    return this.retry(async () => {
      const response = await this.sendOnce({ method: "PUT", key: to, headers, signal });
      throwLateError(await response.text());
    }, signal);
  }

  async presign({ method, key, query, headers = {}, expiresInSeconds }: S3PresignRequest): Promise<string> {
    const parameters = { ...query, "X-Amz-Expires": String(expiresInSeconds) };
    const request = { method, key, query: parameters, headers, signQuery: true, allHeaders: true };
    return (await (await this.#createSigner(await this.#options.getCredentials(), request)).sign()).url.href;
  }

  async close(): Promise<void> {
    const agent = await this.#agent;
    this.#agent = null;
    await agent?.destroy();
  }

  async #createSigner(
    { accessKeyId, secretAccessKey, sessionToken }: S3Credentials,
    { key, query = {}, ...request }: RequestToSign,
  ) {
    const { AwsV4Signer } = await import("aws4fetch");
    const url = new URL(key === null ? this.#options.bucketUrl : `${this.#options.baseUrl}${key}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return new AwsV4Signer({
      ...request,
      ...{ url: url.href, accessKeyId, secretAccessKey, service: "s3", region: this.#options.region },
      ...(sessionToken !== undefined && { sessionToken }),
    });
  }

  #openAgent(): Promise<Agent> {
    this.#agent ??= import("undici").then(
      ({ Agent }) => new Agent({ connect: { timeout: CONNECT_MS }, headersTimeout: IDLE_MS, bodyTimeout: IDLE_MS }),
    );
    return this.#agent;
  }

  async #responseError(response: Response, { secretAccessKey }: S3Credentials): Promise<KnowledgeBaseError> {
    const body = await response.text().catch(() => "");
    return s3Error(response.status, body, { headers: Object.fromEntries(response.headers), secretAccessKey });
  }
}

/** Throws the error in the body of a successful response: its status is sent before a long operation ends. */
export function throwLateError(body: string): void {
  if (xmlText(body, "Code") !== null) throw s3Error(500, body);
}

/** Returns the error for a response with an XML body. Responses to `HEAD` have no body. */
export function s3Error(
  status: number,
  body: string,
  context: { readonly headers?: Readonly<Record<string, string>>; readonly secretAccessKey?: string } = {},
): KnowledgeBaseError {
  const reason = [xmlText(body, "Code"), xmlText(body, "Message")].filter(Boolean).join(": ");
  const { headers = {}, secretAccessKey: apiKey } = context;
  return vendorError({ code: "store_failed", vendor: "S3", status, message: reason || "no reason", headers, apiKey });
}

export function connectionError(error: unknown): KnowledgeBaseError {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return vendorError({
    code: "store_failed",
    vendor: "S3",
    status: null,
    message: getErrorMessage(cause),
    cause: error,
  });
}
