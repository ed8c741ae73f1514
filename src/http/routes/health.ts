import { HEALTH_FINDINGS, healthListQuerySchema, healthReportSchema } from "../../validation/health-schema.js";
import { healthFindingSchema, healthReportResponseSchema } from "../response-schemas.js";
import { route } from "../route.js";

const HEALTH = "/v1/namespace/:namespaceId/health";

/** These routes take a key that may write: they store what they find, and show questions of others. */
export const healthRoutes = [
  route({
    operationId: "reportHealth",
    summary:
      "Check passages that are new since the last report, and count near-duplicates, passages that no likely question " +
      "finds, questions that found nothing, stale documents and those that parsed badly",
    method: "POST",
    path: HEALTH,
    access: "write",
    tenant: true,
    body: healthReportSchema,
    response: healthReportResponseSchema,
    run: ({ namespace, body, signal }) => namespace.health.report({ ...body, signal }),
  }),
  route({
    operationId: "listHealthFindings",
    summary: `List the findings of one kind: ${HEALTH_FINDINGS.join(", ")}`,
    method: "GET",
    path: HEALTH,
    access: "write",
    tenant: true,
    query: healthListQuerySchema,
    response: healthFindingSchema,
    list: true,
    run: ({ namespace, query: { kind, ...query }, signal }) => namespace.health.list(kind, { ...query, signal }),
  }),
];
