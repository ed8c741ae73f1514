import { ERRORS_PAGE } from "../errors.js";
import { errorsPage } from "../errors-page.js";
import { openApiDocument } from "../openapi.js";
import { type Route, route } from "../route.js";

/**
 * What every client may ask, without a key.
 * @param everyRoute The whole table, these among it, once it is there.
 */
export function serviceRoutes(everyRoute: () => readonly Route[]): readonly Route[] {
  // Made when it is first asked for, and then only addressed anew.
  let description: ReturnType<typeof openApiDocument> | null = null;
  return [
    route({
      operationId: "health",
      summary: "Whether the process answers",
      method: "GET",
      path: "/health",
      access: "public",
      answer: null,
      run: () => Response.json({ status: "ok" }),
    }),
    route({
      operationId: "ready",
      summary: "Whether the knowledge base is open and its database answers; 503 where not",
      method: "GET",
      path: "/ready",
      access: "public",
      answer: null,
      run: async ({ kb, signal }) => {
        try {
          await kb.organizations.list({ perPage: 1, signal });
          return Response.json({ status: "ready" });
        } catch {
          // What is wrong is for whoever runs the server: they see it in the calls that fail by it.
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
      answer: null,
      run({ link }) {
        description ??= openApiDocument(everyRoute());
        return Response.json({ ...description, servers: [{ url: link("") }] });
      },
    }),
    route({
      operationId: "errors",
      summary: "What the error codes mean, for people",
      method: "GET",
      path: ERRORS_PAGE,
      access: "public",
      answer: null,
      run: () => new Response(errorsPage(), { headers: { "content-type": "text/html; charset=utf-8" } }),
    }),
  ];
}
