import { randomUUID } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase, ListPage } from "../index.js";
import { preview, TENANT_ID, TENANT_ID_RULE } from "../validation/schemas.js";
import { type AuthenticatedCaller, apiKeyAuthentication, hostAuthentication, requireCaller } from "./authenticate.js";
import { errorEvent, errorResponse, HttpError, toHttpError } from "./errors.js";
import { includesScope } from "./includes-scope.js";
import { KeyStreams } from "./key-streams.js";
import { RouteMatcher } from "./match-route.js";
import { type HandlerOptions, type ResolvedHandlerOptions, resolveHandlerOptions } from "./options.js";
import { Plans } from "./plans.js";
import { RateLimiter } from "./rate-limit.js";
import { readJson } from "./read-body.js";
import { readQuery } from "./read-query.js";
import type { Call, Route } from "./route.js";
import { ROUTES } from "./routes/index.js";
import { stripUnknown } from "./strip-unknown.js";
import { watchBody } from "./watch-body.js";
import { wholeJson } from "./whole-json.js";

/** Answers a request. It never rejects: failures are answers, too. */
export type Handler = (request: Request) => Promise<Response>;

/**
 * The `/v1` interface of a knowledge base, for servers with `Request` and `Response`. `toNodeHandler` adapts it to
 * `node:http`. It neither opens nor closes the knowledge base.
 *
 * @example
 * const kb = new KnowledgeBase({ directory: "./kb" });
 * const handler = createHandler(kb, { basePath: "/kb" });
 * const response = await handler(new Request("http://localhost/kb/health"));
 */
export function createHandler(kb: KnowledgeBase, options: HandlerOptions = {}): Handler {
  return handlerOf(kb, options, ROUTES);
}

/** A handler of other routes than those of the interface alone. */
export function handlerOf(kb: KnowledgeBase, options: HandlerOptions, routes: readonly Route[]): Handler {
  const service = new Service(kb, resolveHandlerOptions(options), routes);
  return (request) => service.answer(request);
}

/** What becomes known of a request on its way, for its answer's headers and its line in the log. */
interface Trace {
  route: Route | null;
  caller: AuthenticatedCaller | null;
  headers: Record<string, string>;
}

class Service {
  readonly #kb: KnowledgeBase;
  readonly #options: ResolvedHandlerOptions;
  readonly #authenticate: ReturnType<typeof apiKeyAuthentication>;
  readonly #plans: Plans;
  readonly #matcher: RouteMatcher;
  readonly #limiter = new RateLimiter();
  readonly #keyStreams: KeyStreams;

  constructor(kb: KnowledgeBase, options: ResolvedHandlerOptions, routes: readonly Route[]) {
    this.#kb = kb;
    this.#matcher = new RouteMatcher(routes);
    this.#options = options;
    this.#authenticate = options.authenticate ? hostAuthentication(options.authenticate) : apiKeyAuthentication(kb);
    this.#plans = new Plans(kb);
    this.#keyStreams = new KeyStreams({
      find: (ids) => kb.findApiKeys(ids),
      onError: (error, requestId) => this.#options.onError(error, requestId),
    });
  }

  async answer(request: Request): Promise<Response> {
    const started = performance.now();
    const requestId = randomUUID();
    const url = new URL(request.url);
    // A host need not tell which address was asked for: the one that is configured is the right one.
    const base = this.#kb.publicUrl ?? `${url.origin}${this.#options.basePath}`;
    const trace: Trace = { route: null, caller: null, headers: {} };
    let response: Response;
    try {
      response = await this.#run(request, url, base, trace);
      // What a route sends itself is still being read when it is sent.
      if (trace.route?.answer === null) {
        response = watchBody(response, (error) => {
          if (!request.signal.aborted) this.#options.onError(error, requestId);
        });
        response = this.#untilRevoked(response, trace, requestId, base);
      }
    } catch (error) {
      // What ends because the client has left is no failure of ours; a listener may give any value as the reason.
      const refusal = request.signal.aborted ? new HttpError(400, "The client has left.") : toHttpError(error);
      if (refusal.cause !== undefined) this.#options.onError(refusal.cause, requestId);
      response = errorResponse(refusal, this.#options.docsUrl ?? base);
    }
    for (const [name, value] of Object.entries({ ...trace.headers, "x-request-id": requestId })) {
      response.headers.set(name, value);
    }
    this.#options.onRequest({
      requestId,
      method: request.method,
      operation: trace.route?.operationId ?? null,
      status: response.status,
      durationMs: performance.now() - started,
      organizationId: trace.caller?.organizationId ?? null,
    });
    if (request.method !== "HEAD") return response;
    await response.body?.cancel();
    return new Response(null, response);
  }

  async #run(request: Request, url: URL, base: string, trace: Trace): Promise<Response> {
    if (url.username || url.password) throw new HttpError(400, "The address must hold no user and no password.");
    const { found, allowed } = this.#match(request.method, url.pathname);
    trace.route = found?.route ?? null;
    const access = found?.route.access;
    // One way in for every path that is not open to all, also for those that there are not.
    if (access !== "public" && access !== "signed") {
      const caller = await requireCaller(this.#authenticate, request);
      trace.caller = caller;
      trace.headers = this.#limiter.take(await this.#plans.of(caller.organizationId));
    }
    if (!found) throw notFound(allowed);
    const { route, params } = found;
    if (trace.caller) requireScope(route, trace.caller);
    const organization = this.#kb.organization(trace.caller?.organizationId ?? "");
    const tenantId = route.tenant ? tenantOf(request.headers) : null;
    const whole = organization.namespace(params.namespaceId ?? "");
    const call: Call = {
      kb: this.#kb,
      organization,
      namespace: tenantId === null ? whole : whole.tenant(tenantId),
      params,
      query: route.query ? stripUnknown(route.query, readQuery(url.searchParams)) : undefined,
      body: route.body ? await bodyOf(route.body, request, this.#options) : undefined,
      url,
      request,
      signal: request.signal,
      link: (path) => (path.startsWith("/") || path === "" ? `${base}${path}` : path),
    };
    const data: unknown = await route.run(call as Call<never, never>);
    if (data instanceof Response) return data;
    if (route.method === "DELETE" && prefersMinimal(request.headers)) return new Response(null, { status: 204 });
    return wholeJson(envelope(route, data), {
      status: route.status ?? 200,
      headers: { "cache-control": "no-store" },
    });
  }

  /** A stream of events outlives the check of its key by hours. */
  #untilRevoked(response: Response, { route, caller }: Trace, requestId: string, base: string): Response {
    if (!caller?.keyId || !route || route.access === "public" || route.access === "signed") return response;
    const revoked = new HttpError(401, "The API key is no longer valid.");
    const lastMessage = () => errorEvent(revoked, this.#options.docsUrl ?? base);
    return this.#keyStreams.watch(response, { requestId, id: caller.keyId, needed: route.access }, lastMessage);
  }

  /**
   * With the base path first, without it where nothing is found: the host may have cut it off, and may be mounted at
   * `/v1` itself.
   */
  #match(method: string, path: string) {
    const { basePath } = this.#options;
    const below = path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) || "/" : null;
    const within = below === null ? null : this.#matcher.match(method, below);
    const whole = this.#matcher.match(method, path);
    return within && (within.found || !whole.found) ? within : whole;
  }
}

/** An unknown path, or one that has other methods: the interface has no status of its own for these. */
function notFound(allowed: readonly string[]): HttpError {
  if (allowed.length === 0) return new HttpError(404, "There is nothing at this path.");
  const allow = allowed.join(", ");
  return new HttpError(404, `This path has another method: ${allow}.`, { headers: { allow } });
}

function requireScope(route: Route, { scope }: AuthenticatedCaller): void {
  const needed = route.access;
  if (needed === "public" || needed === "signed" || includesScope(scope, needed)) return;
  throw new HttpError(403, `This operation needs a key of the scope ${needed}; this one has ${scope}.`);
}

/** Two such headers reach us as one with a comma, which no tenant has. */
function tenantOf(headers: Headers): string | null {
  const tenant = headers.get("x-tenant-id");
  if (tenant === null || TENANT_ID.test(tenant)) return tenant;
  throw new HttpError(400, `x-tenant-id: ${TENANT_ID_RULE}, got ${preview(tenant)}`);
}

async function bodyOf(schema: NonNullable<Route["body"]>, request: Request, { limits }: ResolvedHandlerOptions) {
  const body = await readJson(request, limits);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return stripUnknown(schema, body);
  throw new KnowledgeBaseError("invalid_input", "The body must be a JSON object.");
}

/** RFC 7240. */
function prefersMinimal(headers: Headers): boolean {
  return /(?:^|,)\s*return\s*=\s*"?minimal"?\s*(?:$|[,;])/i.test(headers.get("prefer") ?? "");
}

function envelope(route: Route, data: unknown): object {
  if (!route.list) return { success: true, data };
  const { items, ...pagination } = data as ListPage<unknown>;
  return { success: true, data: items, pagination };
}
