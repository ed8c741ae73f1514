import { ERRORS_PAGE } from "../errors.js";
import { renderErrorsPage } from "../errors-page.js";
import { buildOpenApiDocument } from "../openapi.js";
import { type Route, route } from "../route.js";

/**
 * Routes that need no key.
 * @param allRoutes Returns all routes, including these.
 */
export function serviceRoutes(allRoutes: () => readonly Route[]): readonly Route[] {
  // Generated on first use; only its `servers` depend on the request.
  let description: ReturnType<typeof buildOpenApiDocument> | null = null;
  return [
    route({
      operationId: "health",
      summary: "Whether the process responds",
      method: "GET",
      path: "/health",
      access: "public",
      response: null,
      run: () => Response.json({ status: "ok" }),
    }),
    route({
      operationId: "ready",
      summary: "Whether the knowledge base is open and its database responds; 503 if not",
      method: "GET",
      path: "/ready",
      access: "public",
      response: null,
      run: async ({ kb, signal }) => {
        try {
          await kb.organizations.list({ perPage: 1, signal });
          return Response.json({ status: "ready" });
        } catch {
          // The reason is not public. It is logged by the calls that fail.
          return Response.json({ status: "unavailable" }, { status: 503 });
        }
      },
    }),
    route({
      operationId: "openApi",
      summary: "This interface as OpenAPI 3.1",
      method: "GET",
      path: "/v1/openapi.json",
      access: "public",
      response: null,
      run({ link }) {
        description ??= buildOpenApiDocument(allRoutes());
        return Response.json({ ...description, servers: [{ url: link("") }] });
      },
    }),
    route({
      operationId: "errors",
      summary: "The meaning of the error codes, as a page",
      method: "GET",
      path: ERRORS_PAGE,
      access: "public",
      response: null,
      run: () => new Response(renderErrorsPage(), { headers: { "content-type": "text/html; charset=utf-8" } }),
    }),
  ];
}
