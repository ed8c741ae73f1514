import { z } from "../vendor/zod.js";
import { HttpError } from "./errors.js";
import { type Call, type Route, route } from "./route.js";

const query = z.object({ namespace: z.string().optional() });

/**
 * The Model Context Protocol at `/mcp`, which is not a part of the `/v1` interface. The namespace is a part of the URL,
 * and not an argument of the tools, so that an agent can't choose it. Without sessions, `GET` and `DELETE` answer 405.
 */
export const MCP_ROUTES: readonly Route[] = (["POST", "GET", "DELETE"] as const).map((method) =>
  route({
    operationId: `mcp${method}`,
    summary: "Tools for agents",
    method,
    path: "/mcp",
    access: "read",
    tenant: true,
    query,
    response: null,
    run: answer,
  }),
);

async function answer(call: Call<unknown, z.output<typeof query>>): Promise<Response> {
  const { organization, query, request, url, signal, onError } = call;
  const { namespace: ref } = query;
  if (!ref) throw new HttpError(400, "namespace: the URL must name it, as in /mcp?namespace=handbook.");
  refuseOtherOrigin(request, [url.host, new URL(call.link("/")).host]);
  const { id } = await organization.namespaces.get(ref, { signal });
  const handle = organization.namespace(id);
  const { tenantId } = call.namespace;
  const { answerMcpRequest } = await import("../agents/mcp-server.js");
  return answerMcpRequest(request, tenantId === null ? handle : handle.tenant(tenantId), { onError });
}

/** Protects servers on a local network from pages of other sites, as the protocol requires. */
function refuseOtherOrigin({ headers }: Request, hosts: readonly string[]): void {
  const origin = headers.get("origin");
  if (origin === null || (URL.canParse(origin) && hosts.includes(new URL(origin).host))) return;
  throw new HttpError(403, "The request comes from a page of another origin.");
}
