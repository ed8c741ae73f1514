import { facetsSchema } from "../../validation/facets-schema.js";
import { passagesSchema } from "../../validation/passages-schema.js";
import { principalsSchema } from "../../validation/principals-schema.js";
import { searchSchema, similarSchema } from "../../validation/search-schema.js";
import { facetSchema, passagePageSchema, searchHitSchema } from "../response-schemas.js";
import { route } from "../route.js";

/** The default mode of the HTTP API; the library's default is `hybrid`. */
const DEFAULT_MODE = "semantic";
const principals = principalsSchema.optional();
const bodySchema = searchSchema.extend({ principals, mode: searchSchema.shape.mode.unwrap().default(DEFAULT_MODE) });

const toFilter = (filter: object | undefined) => filter as Readonly<Record<string, never>> | undefined;

export const searchRoutes = [
  route({
    operationId: "search",
    summary: "Find the passages that answer a query, best first",
    method: "POST",
    path: "/v1/namespace/:namespaceId/search",
    access: "read",
    tenant: true,
    forPrincipals: true,
    body: bodySchema,
    response: searchHitSchema.array(),
    run: ({ namespace, body: { query, mode = DEFAULT_MODE, filter, ...options }, signal }) =>
      namespace.search(query, {
        ...options,
        mode,
        filter: toFilter(filter),
        signal,
      }),
  }),
  route({
    operationId: "findSimilar",
    summary: "Find the passages whose meaning is nearest to a passage",
    method: "POST",
    path: "/v1/namespace/:namespaceId/similar",
    access: "read",
    tenant: true,
    forPrincipals: true,
    body: similarSchema.extend({ principals }),
    response: searchHitSchema.array(),
    run: ({ namespace, body: { passageId, filter, ...options }, signal }) =>
      namespace.similar(passageId, { ...options, filter: toFilter(filter), signal }),
  }),
  route({
    operationId: "listPassages",
    summary: "List passages without a query, in the order of a metadata key or of their documents",
    method: "POST",
    path: "/v1/namespace/:namespaceId/passages",
    access: "read",
    tenant: true,
    forPrincipals: true,
    body: passagesSchema.extend({ principals }),
    response: passagePageSchema,
    run: ({ namespace, body: { filter, ...options }, signal }) =>
      namespace.passages.list({ ...options, filter: toFilter(filter), signal }),
  }),
  route({
    operationId: "countFacets",
    summary: "Count documents and passages by the values of metadata keys",
    method: "POST",
    path: "/v1/namespace/:namespaceId/facets",
    access: "read",
    tenant: true,
    forPrincipals: true,
    body: facetsSchema.extend({ principals }),
    response: facetSchema.array(),
    run: ({ namespace, body: { keys, filter, limit, principals }, signal }) =>
      namespace.facets(keys, { filter: toFilter(filter), limit, principals, signal }),
  }),
];
