import type { z } from "zod";
import type { ApiKeyScope, KnowledgeBase, NamespaceHandle, OrganizationHandle } from "../index.js";

/** The authenticated caller of a request. */
export interface Caller {
  readonly organizationId: string;
  /** What the caller may do. `write` includes `read`, and `admin` includes both. @default "admin" */
  readonly scope?: ApiKeyScope;
}

/** What a route is given once its request has been let in and read. */
export interface Call<Body = unknown, Query = unknown> {
  readonly kb: KnowledgeBase;
  readonly organization: OrganizationHandle;
  /** The namespace that the path names, narrowed to the tenant where the route takes the tenant header. */
  readonly namespace: NamespaceHandle;
  /** Segments of the path that have a name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Unknown keys are gone; every other rule is the engine's to check. */
  readonly body: Body;
  readonly query: Query;
  readonly url: URL;
  readonly request: Request;
  /** Ends with the client's connection. */
  readonly signal: AbortSignal;
  /** The address that a path of this interface has for the client. */
  link(path: string): string;
}

/** How a request is let in: by no right at all, by a signature in its URL, or by a key of at least this scope. */
export type RouteAccess = "public" | "signed" | ApiKeyScope;

/** One operation of the interface. */
export interface Route {
  readonly operationId: string;
  readonly summary: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As `/v1/namespace/:namespaceId`. */
  readonly path: string;
  readonly access: RouteAccess;
  /** Whether the tenant header narrows it. Elsewhere the header is ignored. @default false */
  readonly tenant?: boolean;
  readonly body?: z.ZodType;
  /** Query parameters. */
  readonly query?: z.ZodType;
  /** Of the answer. @default 200 */
  readonly status?: 200 | 201;
  /** What stands in the envelope's `data`; null where the answer is no envelope. */
  readonly answer: z.ZodType | null;
  /** Where a file is what the client sends, or gets (a range of its bytes at a time, if it likes). */
  readonly file?: "request" | "response";
  /** Whether the envelope carries `pagination` beside an array. @default false */
  readonly list?: boolean;
  /** Returns the data, a {@link ListPage} for a list, or a whole answer of its own. */
  run(call: Call<never, never>): unknown;
}

/** Ties a route's function to the types of its body and its query. */
export function route<Body extends z.ZodType = z.ZodUnknown, Query extends z.ZodType = z.ZodUnknown>(
  definition: Omit<Route, "body" | "query" | "run"> & {
    readonly body?: Body;
    readonly query?: Query;
    run(call: Call<z.input<Body>, z.output<Query>>): unknown;
  },
): Route {
  return definition;
}
