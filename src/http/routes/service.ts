import { DEFAULT_ORGANIZATION } from "../../domain/default-organization.js";
import { ERRORS_PAGE, HttpError } from "../errors.js";
import { renderErrorsPage } from "../errors-page.js";
import { buildOpenApiDocument } from "../openapi.js";
import { answerHealth, answerMetrics, answerReady } from "../probes.js";
import { type Route, route } from "../route.js";

/**
 * Creates the routes about the server itself, which need no API key, except for metrics.
 * @param allRoutes Returns all routes, including these.
 */
export function serviceRoutes(allRoutes: () => readonly Route[]): readonly Route[] {
  // Built on first use; only `servers` depends on the request.
  let document: ReturnType<typeof buildOpenApiDocument> | null = null;
  return [
    ...probeRoutes("health", "/health", "ready", "/ready"),
    // The paths that orchestrators expect.
    ...probeRoutes("healthz", "/healthz", "readyz", "/readyz"),
    route({
      operationId: "metrics",
      summary: "Return the server's metrics for Prometheus, to keys of the default organization",
      method: "GET",
      path: "/metrics",
      access: "admin",
      response: null,
      run({ kb, organization, signal }) {
        if (organization.id === DEFAULT_ORGANIZATION) return answerMetrics(kb, signal);
        // They are about all organizations together.
        throw new HttpError(403, `Metrics need an admin key of the organization ${DEFAULT_ORGANIZATION}.`);
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

function probeRoutes(healthId: string, healthPath: string, readyId: string, readyPath: string): readonly Route[] {
  const probe = { method: "GET", access: "public", response: null } as const;
  return [
    route({
      ...probe,
      operationId: healthId,
      summary: "Check that the process responds",
      path: healthPath,
      run: answerHealth,
    }),
    route({
      ...probe,
      operationId: readyId,
      summary: "Check that the knowledge base is open, its database responds and its disks have space; 503 if not",
      path: readyPath,
      run: ({ kb, signal }) => answerReady(kb, signal),
    }),
  ];
}
