import { parseInput } from "../validation/parse-input.js";
import { z } from "../vendor/zod.js";
import type { Authenticate } from "./authenticate.js";
import {
  type PageOptions,
  pageOptionsSchema,
  type ResolvedPageOptions,
  resolvePageOptions,
} from "./page/page-options.js";

/** The log entry of a request, without its path, query, headers, body and response. */
export interface RequestLog {
  readonly requestId: string;
  readonly method: string;
  /** The id of the operation in the OpenAPI document, or of a page's route; `null` if no route matches. */
  readonly operation: string | null;
  readonly status: number;
  /** The time until the response was ready to be sent. */
  readonly durationMs: number;
  readonly organizationId: string | null;
}

export interface HandlerOptions {
  /** The path at which the handler is mounted, such as `/kb`, whether or not the host strips it. @default "" */
  readonly basePath?: string | undefined;
  /**
   * Authenticates requests, instead of the knowledge base's API keys. Called once per request: an event stream then
   * continues until the job or the connection ends, while a stream of an API key ends once the key is revoked.
   */
  readonly authenticate?: Authenticate | undefined;
  /**
   * The base URL of the pages that the `doc_url` of errors points to.
   * @default the URL of this handler, which serves them: the knowledge base's `publicUrl`, else the request's origin
   */
  readonly docsUrl?: string | undefined;
  readonly limits?: HandlerLimits | undefined;
  /**
   * How the hosted pages of namespaces are served at `/h/{slug}`; `false` serves none.
   * @default pages that send no e-mails, trust no proxies and can't be embedded
   */
  readonly page?: PageOptions | false | undefined;
  /** Called after each request. */
  readonly onRequest?: ((entry: RequestLog) => void) | undefined;
  /** Called for each failure whose cause is not part of the response. @default console.error */
  readonly onError?: ((error: unknown, requestId: string) => void) | undefined;
}

export interface HandlerLimits {
  /** Maximum size of a JSON body, in bytes. @default 10485760 */
  readonly maxBodyBytes?: number | undefined;
  /** Maximum nesting of a JSON body. @default 32 */
  readonly maxDepth?: number | undefined;
  /** Maximum time until a JSON body has arrived, in milliseconds. @default 30000 */
  readonly bodyTimeoutMs?: number | undefined;
}

const callbackSchema = z.custom<never>((value) => typeof value === "function", "must be a function");
const DEFAULT_LIMITS = { maxBodyBytes: 10 * 1024 * 1024, maxDepth: 32, bodyTimeoutMs: 30_000 };

const optionsSchema = z.strictObject({
  basePath: z
    .string()
    .regex(/^(?:\/[^/?#]+)*$/, "must begin with / and not end with one")
    .default(""),
  authenticate: callbackSchema.optional(),
  docsUrl: z
    .url()
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  limits: z
    .strictObject({
      maxBodyBytes: z.int().min(1).default(DEFAULT_LIMITS.maxBodyBytes),
      maxDepth: z.int().min(1).default(DEFAULT_LIMITS.maxDepth),
      bodyTimeoutMs: z.int().min(1).default(DEFAULT_LIMITS.bodyTimeoutMs),
    })
    .default(DEFAULT_LIMITS),
  page: pageOptionsSchema.prefault({}),
  onRequest: callbackSchema.optional(),
  onError: callbackSchema.optional(),
});

export interface ResolvedHandlerOptions {
  readonly basePath: string;
  readonly authenticate: Authenticate | undefined;
  readonly docsUrl: string | undefined;
  readonly limits: { readonly [Name in keyof HandlerLimits]-?: number };
  /** `null` if no pages are served. */
  readonly page: ResolvedPageOptions | null;
  readonly onRequest: (entry: RequestLog) => void;
  readonly onError: (error: unknown, requestId: string) => void;
}

/** Wraps a listener so that its errors don't affect the response, but become uncaught exceptions. */
function isolateErrors<Args extends readonly unknown[]>(listener: (...args: Args) => void) {
  return (...args: Args): void => {
    try {
      listener(...args);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}

/** @throws KnowledgeBaseError `invalid_input` that names the option, its value and the rule */
export function resolveHandlerOptions(options: HandlerOptions): ResolvedHandlerOptions {
  const { basePath, docsUrl, limits, page } = parseInput(optionsSchema, options);
  const { authenticate, onRequest = () => {}, onError = (error) => console.error(error) } = options;
  return {
    ...{ basePath, docsUrl, limits, authenticate },
    page: resolvePageOptions(page),
    onRequest: isolateErrors(onRequest),
    onError: isolateErrors(onError),
  };
}
