import type { z } from "zod";
import type { Hosting } from "../../index.js";
import { updateHostingSchema } from "../../validation/hosting-schema.js";
import { hostingSchema } from "../response-schemas.js";
import { type Call, route } from "../route.js";

const HOSTING = "/v1/namespace/:namespaceId/hosting";
const ADMIN = { path: HOSTING, access: "admin", response: hostingSchema } as const;
const update = async ({ namespace, body, link, signal }: Call<z.input<typeof updateHostingSchema>>) =>
  withLink(await namespace.hosting.update(body, { signal }), link);

export const hostingRoutes = [
  route({
    operationId: "getHosting",
    summary: "Read the settings of a namespace's hosted page",
    method: "GET",
    path: HOSTING,
    access: "read",
    response: hostingSchema,
    run: async ({ namespace, link, signal }) => withLink(await namespace.hosting.get({ signal }), link),
  }),
  route({
    operationId: "enableHosting",
    summary: "Turn the hosted page on",
    method: "POST",
    ...ADMIN,
    body: updateHostingSchema,
    status: 201,
    run: async ({ namespace, body, link, signal }) => withLink(await namespace.hosting.enable(body, { signal }), link),
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
    summary: "Change the hosted page's settings, like PATCH",
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
    run: async ({ namespace, link, signal }) => withLink(await namespace.hosting.disable({ signal }), link),
  }),
];

function withLink(hosting: Hosting, link: Call["link"]): Hosting {
  return { ...hosting, url: link(hosting.url) };
}
