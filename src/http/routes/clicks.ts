import { addClickSchema } from "../../validation/click-schema.js";
import { listSchema } from "../../validation/list-schema.js";
import { clickSchema } from "../response-schemas.js";
import { route } from "../route.js";

const CLICKS = "/v1/namespace/:namespaceId/clicks";
const OF_TENANT = { access: "write", tenant: true, response: clickSchema } as const;

export const clickRoutes = [
  route({
    operationId: "listClicks",
    summary: "List the clicks that were reported",
    method: "GET",
    path: CLICKS,
    ...OF_TENANT,
    query: listSchema,
    list: true,
    run: ({ namespace, query, signal }) => namespace.clicks.list({ ...query, signal }),
  }),
  route({
    operationId: "addClick",
    summary: "Report that a reader opened a hit of a search",
    method: "POST",
    path: CLICKS,
    ...OF_TENANT,
    body: addClickSchema,
    status: 201,
    run: ({ namespace, body, signal }) => namespace.clicks.add(body, { signal }),
  }),
  route({
    operationId: "deleteClick",
    summary: "Delete a click",
    method: "DELETE",
    path: `${CLICKS}/:clickId`,
    ...OF_TENANT,
    run: ({ namespace, params, signal }) => namespace.clicks.delete(params.clickId!, { signal }),
  }),
];
