import { parseInput } from "../validation/schemas.js";
import { z } from "../vendor/zod.js";
import type { Authenticate } from "./authenticate.js";

/** One request as a log shows it: nothing of its path, its query, its headers, its body or its answer. */
export interface RequestLog {
  readonly requestId: string;
  readonly method: string;
  /** The operation's name in the OpenAPI document; null where no route has the path. */
  readonly operation: string | null;
  readonly status: number;
  /** Until the answer began. */
  readonly durationMs: number;
  readonly organizationId: string | null;
}

export interface HandlerOptions {
  /** Where the host mounts the handler, as in `/kb`. It works whether the host cuts it off the path or not. @default "" */
  readonly basePath?: string | undefined;
  /**
   * Says who makes a request, in place of the knowledge base's own API keys. It is asked once for each request: a stream of events that is
   * open goes on until the job or the connection ends, where with an API key it ends once the key is revoked.
   */
  readonly authenticate?: Authenticate | undefined;
  /** Where the pages are that an error's `doc_url` names. @default this handler's own address (the knowledge base's `publicUrl`, else the request's), which serves them */
  readonly docsUrl?: string | undefined;
  readonly limits?: HandlerLimits | undefined;
  /** Hears of every request, once it is answered. */
  readonly onRequest?: ((entry: RequestLog) => void) | undefined;
  /** Hears of every failure whose cause the client is not told. @default console.error */
  readonly onError?: ((error: unknown, requestId: string) => void) | undefined;
}

export interface HandlerLimits {
  /** Of a JSON body. @default 10485760 */
  readonly maxBodyBytes?: number | undefined;
  /** How deep a JSON body may be nested. @default 32 */
  readonly maxDepth?: number | undefined;
  /** How long a JSON body may take to arrive. @default 30000 */
  readonly bodyTimeoutMs?: number | undefined;
}

const callback = z.custom<never>((value) => typeof value === "function", "must be a function");
const limits = { maxBodyBytes: 10 * 1024 * 1024, maxDepth: 32, bodyTimeoutMs: 30_000 };

const schema = z.strictObject({
  basePath: z
    .string()
    .regex(/^(?:\/[^/?#]+)*$/, "must begin with / and not end with one")
    .default(""),
  authenticate: callback.optional(),
  docsUrl: z
    .url()
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  limits: z
    .strictObject({
      maxBodyBytes: z.int().min(1).default(limits.maxBodyBytes),
      maxDepth: z.int().min(1).default(limits.maxDepth),
      bodyTimeoutMs: z.int().min(1).default(limits.bodyTimeoutMs),
    })
    .default(limits),
  onRequest: callback.optional(),
  onError: callback.optional(),
});

export interface ResolvedHandlerOptions {
  readonly basePath: string;
  readonly authenticate: Authenticate | undefined;
  readonly docsUrl: string | undefined;
  readonly limits: { readonly [Name in keyof HandlerLimits]-?: number };
  readonly onRequest: (entry: RequestLog) => void;
  readonly onError: (error: unknown, requestId: string) => void;
}

/** A listener that throws is the process's uncaught exception, as an event's is; the request is answered all the same. */
function apart<Arguments extends readonly unknown[]>(listener: (...given: Arguments) => void) {
  return (...given: Arguments): void => {
    try {
      listener(...given);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  };
}

/** @throws KnowledgeBaseError `invalid_input` that names the option, its value and the rule */
export function resolveHandlerOptions(options: HandlerOptions): ResolvedHandlerOptions {
  const { basePath, docsUrl, limits } = parseInput(schema, options);
  const { authenticate, onRequest = () => {}, onError = (error) => console.error(error) } = options;
  return { basePath, docsUrl, limits, authenticate, onRequest: apart(onRequest), onError: apart(onError) };
}
