import { ERRORS_PAGE } from "../errors.js";
import { renderErrorsPage } from "../errors-page.js";
import { buildOpenApiDocument } from "../openapi.js";
import { type Route, route } from "../route.js";

/**
 * Creates the routes about the server itself, which need no API key.
 * @param allRoutes Returns all routes, including these.
 */
export function serviceRoutes(allRoutes: () => readonly Route[]): readonly Route[] {
  // Built on first use; only `servers` depends on the request.
  let document: ReturnType<typeof buildOpenApiDocument> | null = null;
  return [
    route({
      operationId: "health",
      summary: "Check that the process responds",
      method: "GET",
      path: "/health",
      access: "public",
      response: null,
      run: () => Response.json({ status: "ok" }),
    }),
    route({
      operationId: "ready",
      summary: "Check that the knowledge base is open, its database responds and its disks have space; 503 if not",
      method: "GET",
      path: "/ready",
      access: "public",
      response: null,
      run: async ({ kb, signal }) => {
        try {
          const { isReady, reason } = await kb.readiness({ signal });
          return isReady
            ? Response.json({ status: "ready" })
            : Response.json({ status: "unavailable", reason }, { status: 503 });
        } catch {
          // The error may have internals. Calls that fail log it.
          return Response.json({ status: "unavailable" }, { status: 503 });
        }
      },
    }),
    route({
      operationId: "openApi",
      summary: "Describe this API as an OpenAPI 3.1 document",
      method: "GET",
      path: "/v1/openapi.json",
      access: "public",
      response: null,
      run({ link }) {
        document ??= buildOpenApiDocument(allRoutes());
        return Response.json({ ...document, servers: [{ url: link("") }] });
      },
    }),
    route({
      operationId: "errors",
      summary: "Show a page that explains the error codes",
      method: "GET",
      path: ERRORS_PAGE,
      access: "public",
      response: null,
      run: () => new Response(renderErrorsPage(), { headers: { "content-type": "text/html; charset=utf-8" } }),
    }),
  ];
}
