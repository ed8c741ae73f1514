import { z } from "../vendor/zod.js";
import { principalsSchema } from "./principals-schema.js";
import { strict } from "./strict.js";

const limit = z.int().min(0).nullable().optional();
const quotaSchema = strict({ documents: limit, bytes: limit, tokens: limit }).optional();

export const createOrganizationSchema = strict({
  id: z
    .string()
    .regex(/^org_[A-Za-z0-9]{1,64}$/, "must be org_ and 1 to 64 letters or digits")
    .optional(),
  name: z.string().min(1).max(256),
  plan: z.enum(["free", "pro"]).nullable().default(null),
  quota: quotaSchema,
});

export const updateOrganizationSchema = strict({
  name: z.string().min(1).max(256).optional(),
  plan: z.enum(["free", "pro"]).nullable().optional(),
  quota: quotaSchema,
});

/** The scopes of API keys. Each includes the previous ones. */
export const API_KEY_SCOPES = ["read", "write", "admin"] as const;

export const createApiKeySchema = strict({
  name: z.string().min(1).max(256),
  scope: z.enum(API_KEY_SCOPES),
  principals: principalsSchema.optional(),
}).refine(({ scope, principals }) => principals === undefined || scope === "read", {
  path: ["principals"],
  message: "can only be set for a key with the scope read",
});

export const updateApiKeySchema = strict({ name: z.string().min(1).max(256) });
