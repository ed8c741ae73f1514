import type { z } from "zod";
import type { ApiKeyScope, KnowledgeBase, NamespaceHandle, OrganizationHandle } from "../index.js";

/** The authenticated caller of a request. */
export interface Caller {
  readonly organizationId: string;
  /** What the caller may do. `write` includes `read`, and `admin` includes both. @default "admin" */
  readonly scope?: ApiKeyScope;
  /**
   * The principals that the caller is bound to, whatever its scope: it can only read documents, and only those that
   * `visibleTo` would let the principals see.
   * @default null, for a caller that sees all documents
   */
  readonly principals?: readonly string[] | null;
}

/** The input of a route: an authorized request with its parsed body and query. */
export interface Call<Body = unknown, Query = unknown> {
  readonly kb: KnowledgeBase;
  readonly organization: OrganizationHandle;
  /**
   * The namespace in the path, restricted to the tenant if the route supports the tenant header, and to the principals
   * that the caller is bound to.
   */
  readonly namespace: NamespaceHandle;
  /** The values of the path's named segments, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The body without unknown keys. The engine checks all other rules. */
  readonly body: Body;
  readonly query: Query;
  readonly url: URL;
  readonly request: Request;
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal;
  /** Reports a failure whose cause is not part of the response. */
  onError(error: unknown): void;
  /** Returns the URL at which the client reaches a path of this API. */
  link(path: string): string;
}

/** The access that a route requires: none, a signature in the URL, or an API key with at least this scope. */
export type RouteAccess = "public" | "signed" | ApiKeyScope;

/** One operation of the HTTP API. */
export interface Route {
  readonly operationId: string;
  readonly summary: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path with named segments, such as `/v1/namespace/:namespaceId`. */
  readonly path: string;
  readonly access: RouteAccess;
  /** Whether the route supports the tenant header, which other routes ignore. @default false */
  readonly tenant?: boolean;
  /** Whether callers that are bound to principals may use the route: it only reads documents that they may see. @default false */
  readonly forPrincipals?: boolean;
  readonly body?: z.ZodType;
  /** The schema of the query parameters. */
  readonly query?: z.ZodType;
  /** The status of a successful response. @default 200 */
  readonly status?: 200 | 201;
  /** The schema of the envelope's `data`; `null` if the response has no envelope. */
  readonly response: z.ZodType | null;
  /** Whether the client sends a file, or receives a file or a range of it. */
  readonly file?: "request" | "response";
  /** Whether the data is an array with `pagination`. @default false */
  readonly list?: boolean;
  /** Returns the data, a `ListPage` for a list, or a complete response. */
  run(call: Call<never, never>): unknown;
}

/** Defines a route. The types of its `run` function follow from the schemas of its body and query. */
export function route<Body extends z.ZodType = z.ZodUnknown, Query extends z.ZodType = z.ZodUnknown>(
  definition: Omit<Route, "body" | "query" | "run"> & {
    readonly body?: Body;
    readonly query?: Query;
    run(call: Call<z.input<Body>, z.output<Query>>): unknown;
  },
): Route {
  return definition;
}
