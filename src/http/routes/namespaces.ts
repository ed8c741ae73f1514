import { KnowledgeBaseError } from "../../errors.js";
import type { ListPage, Namespace } from "../../index.js";
import { collect } from "../../util/collect.js";
import { listSchema } from "../../validation/list-schema.js";
import {
  createNamespaceSchema,
  deleteNamespaceSchema,
  updateNamespaceSchema,
} from "../../validation/namespace-schema.js";
import { z } from "../../vendor/zod.js";
import { HttpError } from "../errors.js";
import { namespaceSchema, statusSchema } from "../response-schemas.js";
import { type Call, route } from "../route.js";

const IMMUTABLE_FIELDS = ["embeddingConfig", "vectorStoreConfig"];

export const namespaceRoutes = [
  route({
    operationId: "listNamespaces",
    summary: "List the organization's namespaces: all of them, or one page if a list parameter is given",
    method: "GET",
    path: "/v1/namespace",
    access: "read",
    query: listSchema,
    response: namespaceSchema,
    list: true,
    run: listNamespaces,
  }),
  route({
    operationId: "createNamespace",
    summary: "Create a namespace",
    method: "POST",
    path: "/v1/namespace",
    access: "admin",
    body: createNamespaceSchema,
    status: 201,
    response: namespaceSchema,
    run: ({ organization, body, signal }) =>
      organization.namespaces.create(body, { signal, unknownKeys: "ignore" }).catch(rejectEmbedding),
  }),
  route({
    operationId: "getNamespace",
    summary: "Read a namespace, by id or slug",
    method: "GET",
    path: "/v1/namespace/:namespaceId",
    access: "read",
    response: namespaceSchema,
    run: ({ organization, namespace, signal }) => organization.namespaces.get(namespace.ref, { signal }),
  }),
  route({
    operationId: "updateNamespace",
    summary: "Change a namespace's name or slug",
    method: "PATCH",
    path: "/v1/namespace/:namespaceId",
    access: "admin",
    // The schema has these fields so that they are rejected: unknown keys would be ignored.
    body: updateNamespaceSchema.extend({
      embeddingConfig: z.never().optional(),
      vectorStoreConfig: z.never().optional(),
    }),
    response: namespaceSchema,
    run: ({ organization, namespace, body, signal }) => {
      const refused = IMMUTABLE_FIELDS.filter((name) => Object.hasOwn(body, name));
      if (refused.length > 0) throw new HttpError(422, `${refused.join(", ")}: cannot be changed after creation`);
      return organization.namespaces.update(namespace.ref, body, { signal });
    },
  }),
  route({
    operationId: "deleteNamespace",
    summary: "Delete a namespace: its content can't be read any more, and is deleted in the background",
    method: "DELETE",
    path: "/v1/namespace/:namespaceId",
    access: "admin",
    query: deleteNamespaceSchema,
    response: namespaceSchema,
    run: ({ organization, namespace, query, signal }) =>
      organization.namespaces.delete(namespace.ref, { ...query, signal }),
  }),
  route({
    operationId: "warmUpNamespace",
    summary: "Load a namespace's model and index, so that the first search doesn't wait for them",
    method: "POST",
    path: "/v1/namespace/:namespaceId/warm-up",
    access: "read",
    response: statusSchema,
    run: async ({ organization, namespace, signal }) => {
      await organization.namespaces.warmUp(namespace.ref, { signal });
      return { status: true };
    },
  }),
];

/** Rejects a model that cannot be loaded. The reason is only logged, since it may contain internal paths. */
function rejectEmbedding(cause: unknown): never {
  if (!KnowledgeBaseError.is(cause, "provider_failed")) throw cause;
  throw new HttpError(400, "embeddingConfig: this server cannot load the model; see its log for the reason", { cause });
}

async function listNamespaces({ organization, query, signal }: Call<unknown, z.output<typeof listSchema>>) {
  if (Object.keys(query).length > 0) return organization.namespaces.list({ ...query, signal });
  const items = await collect(organization.namespaces.iterate({ perPage: 100, signal }));
  return { items, nextCursor: null, prevCursor: null, hasMore: false } satisfies ListPage<Namespace>;
}
