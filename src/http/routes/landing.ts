import { prefersJson } from "../accept.js";
import { ERRORS_PAGE } from "../errors.js";
import { landingPage, type ServerDescription } from "../landing-page.js";
import { route } from "../route.js";

const DOCUMENTATION = "https://github.com/lorebase/lorebase#readme";

/**
 * Describes the server at its own address, as a page or JSON. Not part of the /v1 interface and its OpenAPI document.
 */
export const landingRoute = route({
  operationId: "landingPage",
  summary: "A description of this server and the address of its interface",
  method: "GET",
  path: "/",
  access: "public",
  response: null,
  run({ link, request }) {
    const server: ServerDescription = {
      name: "Lorebase",
      description:
        "This server is the HTTP API of a Lorebase knowledge base, to ingest and search documents. " +
        "It has no web interface.",
      api: link("/v1"),
      openapi: link("/v1/openapi.json"),
      health: link("/health"),
      errors: link(ERRORS_PAGE),
      documentation: DOCUMENTATION,
      authentication:
        "Send an API key in the header Authorization: Bearer <key>. " +
        "The operator of this server creates keys with lorebase keys create.",
    };
    const response = prefersJson(request.headers.get("accept")) ? Response.json(server) : landingPage(server);
    response.headers.set("vary", "accept");
    // The addresses depend on the Host header, so caches must not share them.
    response.headers.set("cache-control", "no-store");
    return response;
  },
});
