import type { z } from "zod";
import { updateHostingSchema } from "../../validation/hosting-schema.js";
import { hostingSchema } from "../response-schemas.js";
import { type Call, route } from "../route.js";

const HOSTING = "/v1/namespace/:namespaceId/hosting";
const ADMIN = { path: HOSTING, access: "admin", response: hostingSchema } as const;
const update = ({ namespace, body, signal }: Call<z.input<typeof updateHostingSchema>>) =>
  namespace.hosting.update(body, { signal });

export const hostingRoutes = [
  route({
    operationId: "getHosting",
    summary: "Read the settings of a namespace's hosted page",
    method: "GET",
    path: HOSTING,
    access: "read",
    response: hostingSchema,
    run: ({ namespace, signal }) => namespace.hosting.get({ signal }),
  }),
  route({
    operationId: "enableHosting",
    summary: "Turn the hosted page on",
    method: "POST",
    ...ADMIN,
    body: updateHostingSchema,
    status: 201,
    run: ({ namespace, body, signal }) => namespace.hosting.enable(body, { signal }),
  }),
  route({
    operationId: "updateHosting",
    summary: "Change the hosted page's settings",
    method: "PATCH",
    ...ADMIN,
    body: updateHostingSchema,
    run: update,
  }),
  route({
    operationId: "putHosting",
    summary: "Change the hosted page's settings, as PATCH does",
    method: "PUT",
    ...ADMIN,
    body: updateHostingSchema,
    run: update,
  }),
  route({
    operationId: "disableHosting",
    summary: "Turn the hosted page off and delete its settings",
    method: "DELETE",
    ...ADMIN,
    run: ({ namespace, signal }) => namespace.hosting.disable({ signal }),
  }),
];
