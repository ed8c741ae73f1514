import { STATUSES } from "../types.js";
import { z } from "../vendor/zod.js";
import { principalsSchema } from "./principals-schema.js";
import { strict } from "./strict.js";
import { tenantIdSchema } from "./tenant-id.js";

export const listShape = {
  order: z.enum(["asc", "desc"]).default("desc"),
  orderBy: z.literal("createdAt").default("createdAt"),
  cursor: z.string().min(1).optional(),
  cursorDirection: z.enum(["forward", "backward"]).default("forward"),
  page: z.int().min(1).max(10_000).optional(),
  perPage: z.int().min(1).max(100).default(30),
};

export function checkPosition({ cursor, page }: { cursor?: unknown; page?: unknown }, context: z.RefinementCtx): void {
  if (cursor === undefined || page === undefined) return;
  const message = "can't be combined with a cursor: both say where the page starts";
  context.addIssue({ code: "custom", path: ["page"], message, input: undefined });
}

export const listSchema = strict(listShape).superRefine(checkPosition);

export const listJobsSchema = strict({ ...listShape, statuses: z.array(z.enum(STATUSES)).optional() }).superRefine(
  checkPosition,
);

const listDocumentsShape = {
  ...listShape,
  statuses: z.array(z.enum(STATUSES)).optional(),
  ingestJobId: z.string().min(1).optional(),
};

/** Has no `tenantId`: over HTTP, a header chooses the tenant. */
export const listDocumentsQuerySchema = strict({
  ...listDocumentsShape,
  principals: principalsSchema.optional(),
}).superRefine(checkPosition);

export const listDocumentsSchema = strict({
  ...listDocumentsShape,
  tenantId: tenantIdSchema.nullable().optional(),
}).superRefine(checkPosition);
