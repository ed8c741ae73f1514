import { KnowledgeBaseError } from "../../errors.js";
import { evaluateReembeddingSchema } from "../../evaluate/settings.js";
import type { EvaluateReembeddingOptions } from "../../index.js";
import {
  cutOverSchema,
  discardSchema,
  newVectorsSchema,
  startReembeddingSchema,
} from "../../validation/namespace-schema.js";
import {
  reembeddingEstimateSchema,
  reembeddingEvaluationSchema,
  reembeddingSchema,
  statusSchema,
} from "../response-schemas.js";
import { route } from "../route.js";

const REEMBEDDING = "/v1/namespace/:namespaceId/reembedding";
const ADMIN = { access: "admin", response: reembeddingSchema } as const;

export const reembeddingRoutes = [
  route({
    operationId: "getReembedding",
    summary: "Read how far the change of a namespace's embedding model or vector store is",
    method: "GET",
    path: REEMBEDDING,
    access: "read",
    response: reembeddingSchema,
    run: async ({ namespace, signal }) => {
      const reembedding = await namespace.reembedding.get({ signal });
      if (!reembedding) throw new KnowledgeBaseError("not_found", "The namespace has one set of vectors only.");
      return reembedding;
    },
  }),
  route({
    operationId: "estimateReembedding",
    summary: "Say what embedding a namespace by another model or into another vector store takes, without starting it",
    method: "POST",
    path: `${REEMBEDDING}/estimate`,
    access: "admin",
    body: newVectorsSchema,
    response: reembeddingEstimateSchema,
    run: ({ namespace, body, signal }) => namespace.reembedding.estimate(body, { signal, unknownKeys: "ignore" }),
  }),
  route({
    operationId: "startReembedding",
    summary: "Start to write vectors of another model, or into another vector store, beside those that searches use",
    method: "POST",
    path: REEMBEDDING,
    ...ADMIN,
    body: startReembeddingSchema,
    status: 201,
    run: ({ namespace, body: { embeddingConfig, vectorStoreConfig, ...options }, signal }) =>
      namespace.reembedding.start(
        { embeddingConfig, vectorStoreConfig },
        { ...options, signal, unknownKeys: "ignore" },
      ),
  }),
  route({
    operationId: "evaluateReembedding",
    summary: "Compare both models by golden questions, clicks and a sample of queries, without keeping the result",
    method: "POST",
    path: `${REEMBEDDING}/evaluate`,
    access: "admin",
    body: evaluateReembeddingSchema,
    response: reembeddingEvaluationSchema,
    run: ({ namespace, body, signal }) =>
      namespace.reembedding.evaluate({ ...(body as EvaluateReembeddingOptions), signal }),
  }),
  route({
    operationId: "cutOverReembedding",
    summary: "Let searches use the new vectors, their model and store, at once or as soon as they are complete",
    method: "POST",
    path: `${REEMBEDDING}/cut-over`,
    ...ADMIN,
    body: cutOverSchema,
    run: ({ namespace, body, signal }) => namespace.reembedding.cutOver({ ...body, signal }),
  }),
  route({
    operationId: "rollBackReembedding",
    summary: "Let searches use the old vectors, their model and store again",
    method: "POST",
    path: `${REEMBEDDING}/rollback`,
    ...ADMIN,
    run: ({ namespace, signal }) => namespace.reembedding.rollback({ signal }),
  }),
  route({
    operationId: "resumeReembedding",
    summary: "Go on after an error has stopped it",
    method: "POST",
    path: `${REEMBEDDING}/resume`,
    ...ADMIN,
    run: ({ namespace, signal }) => namespace.reembedding.resume({ signal }),
  }),
  route({
    operationId: "discardReembedding",
    summary:
      "Remove the vectors that searches don't use, in the background, or leave them in a store that is gone for good",
    method: "DELETE",
    path: REEMBEDDING,
    access: "admin",
    query: discardSchema,
    response: statusSchema,
    run: async ({ namespace, query, signal }) => {
      await namespace.reembedding.discard({ ...query, signal });
      return { status: true };
    },
  }),
];
