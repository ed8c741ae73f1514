import { randomUUID } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";
import type { KnowledgeBase, ListPage } from "../index.js";
import { preview } from "../util/preview.js";
import { TENANT_ID_PATTERN, TENANT_ID_RULE } from "../validation/tenant-id.js";
import type { Span } from "../vendor/opentelemetry.js";
import {
  type AuthenticatedCaller,
  type Authenticator,
  createApiKeyAuthenticator,
  createHostAuthenticator,
  includesScope,
} from "./authenticate.js";
import { errorEvent, errorResponse, HttpError, toHttpError } from "./errors.js";
import { getResponseText, jsonResponse } from "./json-response.js";
import { KeyStreams } from "./key-streams.js";
import { maskBodyErrors } from "./mask-body-errors.js";
import { RouteMatcher } from "./match-route.js";
import { mcpRoutes } from "./mcp-routes.js";
import { type HandlerOptions, type ResolvedHandlerOptions, resolveHandlerOptions } from "./options.js";
import { pageRoutes } from "./page/page-routes.js";
import { PageServer } from "./page/page-server.js";
import { PlanCache } from "./plan-cache.js";
import { limitRequests } from "./rate-limit.js";
import { readJson } from "./read-body.js";
import { readQuery } from "./read-query.js";
import type { Call, Route } from "./route.js";
import { ROUTES } from "./routes/index.js";
import { stripUnknownKeys } from "./strip-unknown.js";
import { describeAnswer, traceRequest } from "./trace-request.js";
import { isUiMessageStream, uiMessageError } from "./ui-message-stream/ui-message-response.js";

/** Responds to a request. It never rejects: errors become responses. */
export type Handler = (request: Request) => Promise<Response>;

/**
 * Creates a handler of the `/v1` API, the tools for agents and the hosted pages of a knowledge base, for servers that
 * use `Request` and `Response`; `toNodeHandler` adapts it to `node:http`. The handler neither opens nor closes the
 * knowledge base.
 *
 * @example
 * const kb = new KnowledgeBase({ directory: "./kb" });
 * const handler = createHandler(kb, { basePath: "/kb" });
 * const response = await handler(new Request("http://localhost/kb/health"));
 */
export function createHandler(kb: KnowledgeBase, options: HandlerOptions = {}): Handler {
  return createRouteHandler(kb, options, ROUTES);
}

/** Creates a handler, see {@link createHandler}, of the given routes and the routes of agents and hosted pages. */
export function createRouteHandler(kb: KnowledgeBase, options: HandlerOptions, routes: readonly Route[]): Handler {
  const resolved = resolveHandlerOptions(options);
  const { page, limits } = resolved;
  const served = [...routes, ...mcpRoutes(limits), ...(page ? pageRoutes(new PageServer(page, limits)) : [])];
  const service = new Service(kb, resolved, served);
  return (request) => service.answer(request);
}

/** What is known about a request, for its response headers and log entry. */
interface RequestState {
  readonly requestId: string;
  route: Route | null;
  caller: AuthenticatedCaller | null;
  headers: Record<string, string>;
}

class Service {
  readonly #kb: KnowledgeBase;
  readonly #options: ResolvedHandlerOptions;
  readonly #authenticate: Authenticator;
  readonly #plans: PlanCache;
  readonly #matcher: RouteMatcher;
  readonly #keyStreams: KeyStreams;

  constructor(kb: KnowledgeBase, options: ResolvedHandlerOptions, routes: readonly Route[]) {
    this.#kb = kb;
    this.#matcher = new RouteMatcher(routes);
    this.#options = options;
    this.#authenticate = options.authenticate
      ? createHostAuthenticator(options.authenticate)
      : createApiKeyAuthenticator(kb);
    this.#plans = new PlanCache(kb);
    this.#keyStreams = new KeyStreams({
      find: (ids) => kb.findApiKeys(ids),
      onError: (error, requestId) => this.#options.onError(error, requestId),
    });
  }

  answer(request: Request): Promise<Response> {
    const requestId = randomUUID();
    return traceRequest(request, requestId, (span) => this.#answer(request, requestId, span));
  }

  async #answer(request: Request, requestId: string, span: Span): Promise<Response> {
    const startTime = performance.now();
    const url = new URL(request.url);
    // The configured URL takes precedence, since a proxy may not pass on the requested host.
    const baseUrl = this.#kb.publicUrl ?? `${url.origin}${this.#options.basePath}`;
    const state: RequestState = { requestId, route: null, caller: null, headers: {} };
    let response: Response;
    try {
      response = await this.#run(request, url, baseUrl, state);
      // A response without an envelope may be a stream that fails later.
      if (state.route?.response === null && getResponseText(response) === null) {
        response = maskBodyErrors(response, (error) => {
          if (!request.signal.aborted) this.#options.onError(error, requestId);
        });
        response = this.#endIfRevoked(response, state, baseUrl);
      }
    } catch (error) {
      // Once the client has closed the request, any error may be a consequence of the close.
      const failure = request.signal.aborted
        ? new HttpError(400, "The client closed the request.")
        : toHttpError(error);
      if (failure.cause !== undefined) this.#options.onError(failure.cause, requestId);
      response = errorResponse(failure, this.#options.docsUrl ?? baseUrl);
    }
    for (const [name, value] of Object.entries({ ...state.headers, "x-request-id": requestId })) {
      response.headers.set(name, value);
    }
    this.#report(request, response, state, performance.now() - startTime);
    describeAnswer(span, state.route, response.status);
    if (request.method !== "HEAD") return response;
    await response.body?.cancel();
    return new Response(null, response);
  }

  #report({ method }: Request, { status }: Response, { requestId, route, caller }: RequestState, durationMs: number) {
    this.#kb.recordRequest({ method, route: route?.path ?? null, status, durationMs });
    this.#options.onRequest({
      requestId,
      method,
      operation: route?.operationId ?? null,
      status,
      durationMs,
      organizationId: caller?.organizationId ?? null,
    });
  }

  async #run(request: Request, url: URL, baseUrl: string, state: RequestState): Promise<Response> {
    if (url.username || url.password) throw new HttpError(400, "The URL must not contain a user or password.");
    const { found, allowedMethods } = this.#match(request.method, url.pathname);
    state.route = found?.route ?? null;
    const access = found?.route.access;
    // Authenticates first, so that a caller without a key can't tell unknown paths from known ones.
    if (access !== "public" && access !== "signed") {
      const caller = await this.#authenticate(request);
      state.caller = caller;
      state.headers = await limitRequests(this.#kb, await this.#plans.get(caller.organizationId));
    }
    if (!found) throw notFoundError(allowedMethods);
    const { route, params } = found;
    if (state.caller) requireScope(route, state.caller);
    const organization = this.#kb.organization(state.caller?.organizationId ?? "");
    const tenantId = route.tenant ? parseTenantId(request.headers) : null;
    const namespace = namespaceOf(organization, params.namespaceId ?? "", tenantId, state.caller);
    const call: Call = {
      kb: this.#kb,
      organization,
      namespace,
      params,
      query: route.query ? readKnownQuery(route, route.query, url.searchParams) : undefined,
      body: route.body ? await readBody(route.body, request, this.#options) : undefined,
      url,
      request,
      signal: request.signal,
      onError: (error) => this.#options.onError(error, state.requestId),
      link: (path) => (path.startsWith("/") || path === "" ? `${baseUrl}${path}` : path),
    };
    const data: unknown = await route.run(call as Call<never, never>);
    if (data instanceof Response) return data;
    if (route.method === "DELETE" && prefersMinimal(request.headers)) return new Response(null, { status: 204 });
    return jsonResponse(wrapInEnvelope(route, data), {
      status: route.status ?? 200,
      headers: { "cache-control": "no-store" },
    });
  }

  /** Ends an event stream once its API key is revoked, since the stream may stay open for hours. */
  #endIfRevoked(response: Response, { requestId, route, caller }: RequestState, baseUrl: string): Response {
    if (!caller?.keyId || !route || route.access === "public" || route.access === "signed") return response;
    const revoked = new HttpError(401, "The API key is no longer valid.");
    const lastMessage = () =>
      isUiMessageStream(response)
        ? new TextEncoder().encode(uiMessageError(revoked.message))
        : errorEvent(revoked, this.#options.docsUrl ?? baseUrl);
    return this.#keyStreams.watch(
      response,
      { requestId, keyId: caller.keyId, requiredScope: route.access },
      lastMessage,
    );
  }

  /**
   * Matches the path without the base path, then unchanged: the host may have stripped it, or may mount `/v1` itself.
   */
  #match(method: string, path: string) {
    const { basePath } = this.#options;
    const stripped = path === basePath || path.startsWith(`${basePath}/`) ? path.slice(basePath.length) || "/" : null;
    const strippedMatch = stripped === null ? null : this.#matcher.match(method, stripped);
    const fullMatch = this.#matcher.match(method, path);
    return strippedMatch && (strippedMatch.found || !fullMatch.found) ? strippedMatch : fullMatch;
  }
}

/** Creates the error of an unknown path or of a wrong method, for which the API has no separate status. */
function notFoundError(allowedMethods: readonly string[]): HttpError {
  if (allowedMethods.length === 0) return new HttpError(404, "This path does not exist.");
  const allow = allowedMethods.join(", ");
  return new HttpError(404, `This path supports other methods: ${allow}.`, { headers: { allow } });
}

function requireScope(route: Route, { scope, principals }: AuthenticatedCaller): void {
  const required = route.access;
  if (required === "public" || required === "signed") return;
  if (!includesScope(scope, required))
    throw new HttpError(403, `This operation needs a key with the scope ${required}; this key has ${scope}.`);
  if (principals !== null && !route.forPrincipals)
    throw new HttpError(403, "This operation needs a key that is not bound to principals.");
}

function namespaceOf(
  organization: Call["organization"],
  ref: string,
  tenantId: string | null,
  caller: AuthenticatedCaller | null,
): Call["namespace"] {
  const namespace = organization.namespace(ref);
  const ofTenant = tenantId === null ? namespace : namespace.tenant(tenantId);
  return caller && caller.principals !== null ? ofTenant.visibleTo(caller.principals) : ofTenant;
}

/** Parses the tenant header. Two headers arrive joined by a comma, which a tenant id can't contain. */
function parseTenantId(headers: Headers): string | null {
  const tenant = headers.get("x-tenant-id");
  if (tenant === null || TENANT_ID_PATTERN.test(tenant)) return tenant;
  throw new HttpError(400, `x-tenant-id: ${TENANT_ID_RULE}, got ${preview(tenant)}`);
}

/** Ignores unknown parameters, except of a deletion, which can't be undone: a misspelt one would be another deletion. */
function readKnownQuery({ method }: Route, schema: NonNullable<Route["query"]>, parameters: URLSearchParams): unknown {
  const query = readQuery(parameters);
  return method === "DELETE" ? query : stripUnknownKeys(schema, query);
}

async function readBody(schema: NonNullable<Route["body"]>, request: Request, { limits }: ResolvedHandlerOptions) {
  const body = await readJson(request, limits);
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return stripUnknownKeys(schema, body);
  throw new KnowledgeBaseError("invalid_input", "The body must be a JSON object.");
}

/** Returns whether the client prefers a response without a body (RFC 7240). */
function prefersMinimal(headers: Headers): boolean {
  return /(?:^|,)\s*return\s*=\s*"?minimal"?\s*(?:$|[,;])/i.test(headers.get("prefer") ?? "");
}

function wrapInEnvelope(route: Route, data: unknown): object {
  if (!route.list) return { success: true, data };
  const { items, ...pagination } = data as ListPage<unknown>;
  return { success: true, data: items, pagination };
}
