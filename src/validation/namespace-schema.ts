import { z } from "../vendor/zod.js";
import { strict } from "./strict.js";

const namespaceNameSchema = z.string().min(1).max(64);

const slugSchema = z
  .string()
  .min(2)
  .max(48)
  .regex(/^[A-Za-z0-9_-]+$/, "may contain only letters, digits, - and _")
  .refine((value) => !value.toLowerCase().startsWith("ns_"), "must not begin with ns_, the prefix of ids");

const providerConfigSchema = z.looseObject({ provider: z.string().min(1) });

export const createNamespaceSchema = strict({
  name: namespaceNameSchema,
  slug: slugSchema,
  embeddingConfig: providerConfigSchema.optional(),
  vectorStoreConfig: providerConfigSchema.optional(),
});

export const createNamespaceOptionsSchema = strict({ unknownKeys: z.enum(["refuse", "ignore"]).default("refuse") });

export const updateNamespaceSchema = strict({ name: namespaceNameSchema.optional(), slug: slugSchema.optional() });

/** The model and the vector store of a set of vectors; what is left out stays as it is. */
export const newVectorsSchema = strict({
  embeddingConfig: providerConfigSchema.optional(),
  vectorStoreConfig: providerConfigSchema.optional(),
});

export const reembeddingOptionsSchema = strict({
  chunksPerSecond: z.int().min(1).max(100_000).optional(),
  cutOver: z.enum(["manual", "automatic"]).default("manual"),
  unknownKeys: z.enum(["refuse", "ignore"]).default("refuse"),
});

/** How a namespace is embedded again, as clients of the HTTP API say it. */
export const startReembeddingSchema = reembeddingOptionsSchema
  .omit({ unknownKeys: true })
  .extend(newVectorsSchema.shape);

/** How a cut-over is requested. */
export const cutOverSchema = strict({ ignoreGuard: z.boolean().optional() });

/** How the vectors that searches don't use are removed. */
export const discardSchema = strict({ abandonStore: z.boolean().default(false) });

/** How a namespace is deleted. */
export const deleteNamespaceSchema = strict({ abandonStore: z.boolean().default(false) });

const secretsSchema = z.record(z.string(), z.json());

const configSecretsSchema = strict({
  embeddingConfig: secretsSchema.optional(),
  vectorStoreConfig: secretsSchema.optional(),
});

export const namespaceSecretsSchema = configSecretsSchema.extend({ reembedding: configSecretsSchema.optional() });
