import { searchSchema } from "../../schemas.js";
import { route } from "../route.js";
import { searchHitAnswer } from "../wire.js";

export const searchRoutes = [
  route({
    operationId: "search",
    summary: "The passages that answer a query, best first",
    method: "POST",
    path: "/v1/namespace/:namespaceId/search",
    access: "read",
    tenant: true,
    body: searchSchema,
    answer: searchHitAnswer.array(),
    run: ({ namespace, body: { query, filter, ...options }, signal }) =>
      namespace.search(query, { ...options, filter: filter as Readonly<Record<string, never>> | undefined, signal }),
  }),
];
