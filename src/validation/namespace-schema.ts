import { z } from "../vendor/zod.js";
import { strict } from "./strict.js";

const namespaceName = z.string().min(1).max(64);

const slug = z
  .string()
  .min(2)
  .max(48)
  .regex(/^[A-Za-z0-9_-]+$/, "may contain only letters, digits, - and _")
  .refine((value) => !value.toLowerCase().startsWith("ns_"), "must not begin with ns_, the prefix of ids");

const providerConfig = z.looseObject({ provider: z.string().min(1) });

export const createNamespaceSchema = strict({
  name: namespaceName,
  slug,
  embeddingConfig: providerConfig.optional(),
  vectorStoreConfig: providerConfig.optional(),
});

export const createNamespaceOptionsSchema = strict({ unknownKeys: z.enum(["refuse", "ignore"]).default("refuse") });

export const updateNamespaceSchema = strict({ name: namespaceName.optional(), slug: slug.optional() });
