import { z } from "../vendor/zod.js";
import { HttpError } from "./errors.js";
import type { ResolvedHandlerOptions } from "./options.js";
import { BodyTooLargeError, readJson } from "./read-body.js";
import { type Call, type Route, route } from "./route.js";

type Limits = ResolvedHandlerOptions["limits"];

const querySchema = z.object({ namespace: z.string().optional() });

// Error codes of JSON-RPC.
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/**
 * Creates the routes of the Model Context Protocol at `/mcp`, outside the `/v1` API. The namespace is a part of the URL
 * and not an argument of the tools, so that an agent can't choose it. Without sessions, `GET` and `DELETE` answer 405.
 */
export function mcpRoutes(limits: Limits): readonly Route[] {
  return (["POST", "GET", "DELETE"] as const).map((method) =>
    route({
      operationId: `mcp${method}`,
      summary: "Tools for agents",
      method,
      path: "/mcp",
      access: "read",
      tenant: true,
      forPrincipals: true,
      query: querySchema,
      response: null,
      run: (call) => answerRequest(call, limits),
    }),
  );
}

async function answerRequest(call: Call<unknown, z.output<typeof querySchema>>, limits: Limits): Promise<Response> {
  const { organization, query, request, url, signal, onError } = call;
  const { namespace: ref } = query;
  if (!ref) throw new HttpError(400, "namespace: the URL must name a namespace, as in /mcp?namespace=handbook.");
  refuseOtherOrigin(request, [url.host, new URL(call.link("/")).host]);
  const { id } = await organization.namespaces.get(ref, { signal });
  const handle = organization.namespace(id);
  const { tenantId, principals } = call.namespace;
  const ofTenant = tenantId === null ? handle : handle.tenant(tenantId);
  const searched = principals === null ? ofTenant : ofTenant.visibleTo(principals);
  const message = request.method === "POST" ? await readMessage(request, limits) : undefined;
  if (message instanceof Response) return message;
  const { answerMcpRequest } = await import("../agents/mcp-server.js");
  return answerMcpRequest({ request, message }, searched, { onError });
}

/** Reads a message within the limits of all bodies. Returns an error response if the body is no valid message. */
async function readMessage(request: Request, limits: Limits): Promise<unknown> {
  try {
    const message = await readJson(request, limits);
    // The rate limit counts a batch as one request, and the protocol no longer has batches.
    return Array.isArray(message)
      ? rpcError(400, INVALID_REQUEST, "Send one message at a time, not a batch.")
      : message;
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return rpcError(error instanceof BodyTooLargeError ? 413 : 400, PARSE_ERROR, error.message);
  }
}

function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}

/** Rejects pages of other sites, as the protocol requires, to protect servers on a local network. */
function refuseOtherOrigin({ headers }: Request, hosts: readonly string[]): void {
  const origin = headers.get("origin");
  if (origin === null || (URL.canParse(origin) && hosts.includes(new URL(origin).host))) return;
  throw new HttpError(403, "The request comes from a page of another origin.");
}
