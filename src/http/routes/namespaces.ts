import { KnowledgeBaseError } from "../../errors.js";
import type { ListPage, Namespace } from "../../index.js";
import { createNamespaceSchema, listSchema, updateNamespaceSchema } from "../../validation/schemas.js";
import { z } from "../../vendor/zod.js";
import { HttpError } from "../errors.js";
import { type Call, route } from "../route.js";
import { namespaceAnswer, statusAnswer } from "../wire.js";

const NEVER_CHANGED = ["embeddingConfig", "vectorStoreConfig"];

export const namespaceRoutes = [
  route({
    operationId: "listNamespaces",
    summary: "The organization's namespaces: all of them, or a page where a list parameter is given",
    method: "GET",
    path: "/v1/namespace",
    access: "read",
    query: listSchema,
    answer: namespaceAnswer,
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
    answer: namespaceAnswer,
    run: ({ organization, body, signal }) =>
      organization.namespaces.create(body, { signal, unknownKeys: "ignore" }).catch(refuseEmbedding),
  }),
  route({
    operationId: "getNamespace",
    summary: "Read a namespace, by id or slug",
    method: "GET",
    path: "/v1/namespace/:namespaceId",
    access: "read",
    answer: namespaceAnswer,
    run: ({ organization, namespace, signal }) => organization.namespaces.get(namespace.ref, { signal }),
  }),
  route({
    operationId: "updateNamespace",
    summary: "Change a namespace's name or slug",
    method: "PATCH",
    path: "/v1/namespace/:namespaceId",
    access: "admin",
    // What cannot be changed is known here, so that it is refused and not left out.
    body: updateNamespaceSchema.extend({
      embeddingConfig: z.never().optional(),
      vectorStoreConfig: z.never().optional(),
    }),
    answer: namespaceAnswer,
    run: ({ organization, namespace, body, signal }) => {
      const refused = NEVER_CHANGED.filter((name) => Object.hasOwn(body, name));
      if (refused.length > 0) throw new HttpError(422, `${refused.join(", ")}: cannot be changed after creation`);
      return organization.namespaces.update(namespace.ref, body, { signal });
    },
  }),
  route({
    operationId: "deleteNamespace",
    summary: "Delete a namespace with everything in it: gone from every read at once, removed from disk by the queue",
    method: "DELETE",
    path: "/v1/namespace/:namespaceId",
    access: "admin",
    answer: namespaceAnswer,
    run: ({ organization, namespace, signal }) => organization.namespaces.delete(namespace.ref, { signal }),
  }),
  route({
    operationId: "warmUpNamespace",
    summary: "Load a namespace's model and index, so that the first search doesn't wait for them",
    method: "POST",
    path: "/v1/namespace/:namespaceId/warm-up",
    access: "read",
    answer: statusAnswer,
    run: async ({ organization, namespace, signal }) => {
      await organization.namespaces.warmUp(namespace.ref, { signal });
      return { status: true };
    },
  }),
];

/** A model that the caller named and this server cannot load. Why not, and from where, is the server's own matter. */
function refuseEmbedding(cause: unknown): never {
  if (!KnowledgeBaseError.is(cause, "provider_failed")) throw cause;
  throw new HttpError(400, "embeddingConfig: this server cannot load that model; its log says why", { cause });
}

async function listNamespaces({ organization, query, signal }: Call<unknown, z.output<typeof listSchema>>) {
  if (Object.keys(query).length > 0) return organization.namespaces.list({ ...query, signal });
  const items: Namespace[] = [];
  for await (const namespace of organization.namespaces.iterate({ perPage: 100, signal })) items.push(namespace);
  return { items, nextCursor: null, prevCursor: null, hasMore: false } satisfies ListPage<Namespace>;
}
