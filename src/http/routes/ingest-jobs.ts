import type { CreateIngestJobInput, Metadata } from "../../index.js";
import { reingestSchema } from "../../validation/ingest-config-schema.js";
import { createJobSchema } from "../../validation/ingest-job-schema.js";
import { listJobsSchema } from "../../validation/list-schema.js";
import { streamJobEvents } from "../job-events.js";
import { idSchema, ingestJobSchema } from "../response-schemas.js";
import { route } from "../route.js";

const JOBS = "/v1/namespace/:namespaceId/ingest-jobs";
const JOB = `${JOBS}/:jobId`;
const READ = { access: "read", tenant: true } as const;
const WRITE = { access: "write", tenant: true } as const;

export const ingestJobRoutes = [
  route({
    operationId: "listIngestJobs",
    summary: "List ingest jobs, newest first",
    method: "GET",
    path: JOBS,
    ...READ,
    query: listJobsSchema,
    response: ingestJobSchema,
    list: true,
    run: ({ namespace, query, signal }) => namespace.ingestJobs.list({ ...query, signal }),
  }),
  route({
    operationId: "createIngestJob",
    summary: "Queue content for ingestion",
    method: "POST",
    path: JOBS,
    ...WRITE,
    body: createJobSchema,
    status: 201,
    response: ingestJobSchema,
    run: ({ namespace, body, signal }) =>
      namespace.ingestJobs.create(body as CreateIngestJobInput<Metadata>, { signal }),
  }),
  route({
    operationId: "getIngestJobInfo",
    summary: "Read an ingest job",
    method: "GET",
    path: JOB,
    ...READ,
    response: ingestJobSchema,
    run: ({ namespace, params, signal }) => namespace.ingestJobs.get(params.jobId!, { signal }),
  }),
  route({
    operationId: "deleteIngestJob",
    summary: "Delete a job and its documents: searches stop finding them at once, data is deleted in the background",
    method: "DELETE",
    path: JOB,
    ...WRITE,
    response: ingestJobSchema,
    run: ({ namespace, params, signal }) => namespace.ingestJobs.delete(params.jobId!, { signal }),
  }),
  route({
    operationId: "reIngestJob",
    summary: "Queue an ended job again: ids stay, and searches find the old chunks until the new ones are complete",
    method: "POST",
    path: `${JOB}/re-ingest`,
    ...WRITE,
    body: reingestSchema,
    response: idSchema,
    run: async ({ namespace, params, body, signal }) => {
      const { id } = await namespace.ingestJobs.reingest(params.jobId!, { ...body, signal });
      return { id };
    },
  }),
  route({
    operationId: "cancelIngestJob",
    summary: "Stop a job; completed documents stay",
    method: "POST",
    path: `${JOB}/cancel`,
    ...WRITE,
    response: ingestJobSchema,
    run: ({ namespace, params, signal }) => namespace.ingestJobs.cancel(params.jobId!, { signal }),
  }),
  route({
    operationId: "watchIngestJob",
    summary: "Follow a job as server-sent events, from its first event or after Last-Event-ID, until it ends",
    method: "GET",
    path: `${JOB}/events`,
    ...READ,
    response: null,
    run: streamJobEvents,
  }),
];
