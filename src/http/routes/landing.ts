import { prefersJson } from "../accept.js";
import { ERRORS_PAGE } from "../errors.js";
import { landingPage, type ServerDescription } from "../landing-page.js";
import { route } from "../route.js";

const DOCUMENTATION = "https://github.com/lorebase/lorebase#readme";

/** What a server is, at its own address: a page for people, or JSON. Not part of the /v1 interface, nor of its OpenAPI document. */
export const landingRoute = route({
  operationId: "landingPage",
  summary: "What this server is and where its interface is",
  method: "GET",
  path: "/",
  access: "public",
  answer: null,
  run({ link, request }) {
    const server: ServerDescription = {
      name: "Lorebase",
      description:
        "This server is the HTTP API of a Lorebase knowledge base: it ingests documents and searches them. It has no web interface.",
      api: link("/v1"),
      openapi: link("/v1/openapi.json"),
      health: link("/health"),
      errors: link(ERRORS_PAGE),
      documentation: DOCUMENTATION,
      authentication:
        "Send an API key in the header Authorization: Bearer <key>. Whoever runs this server makes keys with lorebase keys create.",
    };
    const response = prefersJson(request.headers.get("accept")) ? Response.json(server) : landingPage(server);
    response.headers.set("vary", "accept");
    // Addresses depend on the Host header: nobody else is to get them from a cache.
    response.headers.set("cache-control", "no-store");
    return response;
  },
});
