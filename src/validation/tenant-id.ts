import { z } from "../vendor/zod.js";
import { parseInput } from "./parse-input.js";

export const TENANT_ID_PATTERN = /^[A-Za-z0-9]{1,64}$/;

export const TENANT_ID_RULE =
  "must be 1 to 64 of the characters A-Z, a-z and 0-9; tenantIdOf(name) derives such an id from any other name";

export const tenantIdSchema = z.string(TENANT_ID_RULE).regex(TENANT_ID_PATTERN, TENANT_ID_RULE);

/** @throws KnowledgeBaseError `invalid_input` that names `tenantId`, the value and the rule */
export function parseTenantId(tenantId: unknown): string {
  return parseInput(tenantIdSchema, tenantId, ["tenantId"]);
}
