import { z } from "../vendor/zod.js";
import { httpUrlSchema } from "./fields.js";
import { strict } from "./strict.js";

const emailsSchema = z.array(z.email()).max(1000);

const examplesSchema = z.array(z.string().min(1).max(500)).max(4);

const nullableUrlSchema = httpUrlSchema.nullable();

export const hostingSettingsSchema = strict({
  title: z.string().min(1).max(256),
  slug: z
    .string()
    .min(2)
    .max(64)
    .regex(/^[A-Za-z0-9_-]+$/, "may contain only letters, digits, - and _"),
  logo: nullableUrlSchema,
  ogTitle: z.string().max(70).nullable(),
  ogDescription: z.string().max(200).nullable(),
  ogImage: nullableUrlSchema,
  systemPrompt: z.string().max(20_000).nullable(),
  exampleQuestions: examplesSchema,
  exampleSearchQueries: examplesSchema,
  welcomeMessage: z.string().max(2000).nullable(),
  citationMetadataPath: z.string().max(256).nullable(),
  searchEnabled: z.boolean(),
  rerankConfig: strict({ model: z.string().min(1).nullable(), limit: z.int().min(1).max(100) }),
  llmConfig: strict({ model: z.string().min(1).nullable() }),
  topK: z.int().min(1).max(100),
  protected: z.boolean(),
  allowedEmails: emailsSchema,
  allowedEmailDomains: z
    .array(z.string().regex(/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/i, "must be a domain such as example.com"))
    .max(1000),
});

export const updateHostingSchema = hostingSettingsSchema.partial().extend({
  rerankModel: z.string().min(1).optional(),
  rerankLimit: z.int().min(1).max(100).optional(),
  llmModel: z.string().min(1).optional(),
});
