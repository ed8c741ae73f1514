import { compareEvaluationsSchema, goldenGuardSchema, runEvaluationSchema } from "../../evaluate/settings.js";
import type { GoldenGuardInput, RunEvaluationOptions } from "../../index.js";
import { listSchema } from "../../validation/list-schema.js";
import {
  evaluationComparisonSchema,
  evaluationSchema,
  evaluationSummarySchema,
  goldenGuardResponseSchema,
} from "../response-schemas.js";
import { type Call, route } from "../route.js";

const EVALUATIONS = "/v1/namespace/:namespaceId/evaluations";
const EVALUATION = `${EVALUATIONS}/:evaluationId`;
const GUARD = "/v1/namespace/:namespaceId/golden-guard";
const OF_TENANT = { access: "write", tenant: true } as const;
const idOf = ({ params }: Pick<Call, "params">): string => params.evaluationId!;

export const evaluationRoutes = [
  route({
    operationId: "listEvaluations",
    summary: "List the evaluations of the golden questions, without the scores of single questions",
    method: "GET",
    path: EVALUATIONS,
    ...OF_TENANT,
    query: listSchema,
    response: evaluationSummarySchema,
    list: true,
    run: ({ namespace, query, signal }) => namespace.evaluations.list({ ...query, signal }),
  }),
  route({
    operationId: "runEvaluation",
    summary: "Measure how well search settings answer the active golden questions, and keep the result",
    method: "POST",
    path: EVALUATIONS,
    ...OF_TENANT,
    body: runEvaluationSchema,
    status: 201,
    response: evaluationSchema,
    run: ({ namespace, body, signal }) => namespace.evaluations.run({ ...(body as RunEvaluationOptions), signal }),
  }),
  route({
    operationId: "getEvaluation",
    summary: "Read an evaluation",
    method: "GET",
    path: EVALUATION,
    ...OF_TENANT,
    response: evaluationSchema,
    run: (call) => call.namespace.evaluations.get(idOf(call), { signal: call.signal }),
  }),
  route({
    operationId: "compareEvaluations",
    summary: "Compare an evaluation with an earlier one, question by question",
    method: "GET",
    path: `${EVALUATION}/comparison`,
    ...OF_TENANT,
    query: compareEvaluationsSchema,
    response: evaluationComparisonSchema,
    run: (call) => call.namespace.evaluations.compare(idOf(call), call.query.baselineId, { signal: call.signal }),
  }),
  route({
    operationId: "deleteEvaluation",
    summary: "Delete an evaluation",
    method: "DELETE",
    path: EVALUATION,
    ...OF_TENANT,
    response: evaluationSummarySchema,
    run: (call) => call.namespace.evaluations.delete(idOf(call), { signal: call.signal }),
  }),
  route({
    operationId: "getGoldenGuard",
    summary: "Read what an embedding model must not make worse",
    method: "GET",
    path: GUARD,
    access: "admin",
    response: goldenGuardResponseSchema,
    run: ({ namespace, signal }) => namespace.goldenGuard.get({ signal }),
  }),
  route({
    operationId: "setGoldenGuard",
    summary: "Refuse the cut-over to an embedding model that makes the golden questions significantly worse",
    method: "PUT",
    path: GUARD,
    access: "admin",
    body: goldenGuardSchema,
    response: goldenGuardResponseSchema,
    run: ({ namespace, body, signal }) => namespace.goldenGuard.set(body as GoldenGuardInput, { signal }),
  }),
  route({
    operationId: "deleteGoldenGuard",
    summary: "Allow any embedding model again",
    method: "DELETE",
    path: GUARD,
    access: "admin",
    response: goldenGuardResponseSchema,
    run: ({ namespace, signal }) => namespace.goldenGuard.delete({ signal }),
  }),
];
