import { searchSchema } from "../../validation/schemas.js";
import { route } from "../route.js";
import { searchHitAnswer } from "../wire.js";

/** The interface names `semantic` as its default; the library's is `hybrid`. */
const INTERFACE_MODE = "semantic";
const body = searchSchema.extend({ mode: searchSchema.shape.mode.unwrap().default(INTERFACE_MODE) });

export const searchRoutes = [
  route({
    operationId: "search",
    summary: "The passages that answer a query, best first",
    method: "POST",
    path: "/v1/namespace/:namespaceId/search",
    access: "read",
    tenant: true,
    body,
    answer: searchHitAnswer.array(),
    run: ({ namespace, body: { query, mode = INTERFACE_MODE, filter, ...options }, signal }) =>
      namespace.search(query, {
        ...options,
        mode,
        filter: filter as Readonly<Record<string, never>> | undefined,
        signal,
      }),
  }),
];
