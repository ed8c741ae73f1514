import { z } from "../vendor/zod.js";
import { httpUrlSchema, labelSchema, optionalFileNameSchema } from "./fields.js";
import { checkChunkSizes, configShape, ingestConfigSchema, uncheckedConfigSchema } from "./ingest-config-schema.js";
import { strict } from "./strict.js";

const textShape = { type: z.literal("TEXT"), text: z.string().min(1), fileName: optionalFileNameSchema };

const fileShape = { type: z.literal("FILE"), fileUrl: httpUrlSchema, fileName: optionalFileNameSchema };

const managedShape = {
  type: z.literal("MANAGED_FILE"),
  key: z.string().min(1).max(1024),
  fileName: optionalFileNameSchema,
};

const pathsSchema = z.array(z.string().startsWith("/", "must begin with /")).max(1000).optional();

const itemConfigShape = { config: uncheckedConfigSchema.optional() };

export const crawlShape = {
  url: httpUrlSchema,
  maxDepth: z.int().min(1).max(100).default(5),
  limit: z.int().min(1).max(100_000).default(50),
  includePaths: pathsSchema,
  excludePaths: pathsSchema,
  headers: z
    .custom(
      (value) => !Object.hasOwn(Object(value), "__proto__"),
      "has a header named __proto__, which no server understands",
    )
    .pipe(
      z.record(
        z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be a header name"),
        z.string().regex(/^[^\r\n\0]*$/),
      ),
    )
    .optional(),
};

export const MAX_BATCH_ITEMS = 1000;

/**
 * What a job ingests. If the payload lists its documents, `storage/records/job-documents.ts` creates them; otherwise a
 * function set in create-engine.ts discovers them (engine/discovery.ts). `ingest/load-source.ts` loads each kind of
 * document, and `resources/sealed-payload.ts` removes credentials.
 */
export const payloadSchema = z.discriminatedUnion("type", [
  strict(textShape),
  strict(fileShape),
  strict(managedShape),
  strict({ type: z.literal("CRAWL"), ...crawlShape }),
  strict({
    type: z.literal("YOUTUBE"),
    urls: z.array(httpUrlSchema).min(1).max(1000),
    transcriptLanguages: z.array(z.string().min(1)).min(1).default(["en"]),
    includeMetadata: z.boolean().default(false),
  }),
  strict({
    type: z.literal("BATCH"),
    items: z
      .array(
        z.discriminatedUnion("type", [
          strict({ ...textShape, ...itemConfigShape }),
          strict({ ...fileShape, ...itemConfigShape }),
          strict({ ...managedShape, ...itemConfigShape }),
        ]),
      )
      .min(1)
      .max(MAX_BATCH_ITEMS),
  }),
]);

export const createJobSchema = strict({
  payload: payloadSchema,
  name: labelSchema.nullable().default(null),
  externalId: labelSchema.nullable().default(null),
  config: ingestConfigSchema.optional(),
});

/** What to do about a job or content that was submitted before. */
const resubmissionShape = {
  onConflict: z.enum(["fail", "skip", "replace"]).default("fail"),
  dedupe: z.boolean().default(false),
};

function checkResubmission(
  job: { externalId: string | null; payload?: { type: string }; onConflict: string; dedupe: boolean },
  context: z.RefinementCtx,
): void {
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message, input: undefined });
  const { externalId, payload, onConflict, dedupe } = job;
  if (onConflict !== "fail" && externalId === null) {
    refuse("onConflict", `is ${JSON.stringify(onConflict)}, which needs an externalId to find the earlier job`);
  }
  if (onConflict === "replace" && dedupe) refuse("dedupe", 'can\'t be combined with onConflict "replace"');
  if (onConflict === "replace" && (payload?.type === "CRAWL" || payload?.type === "YOUTUBE")) {
    refuse("onConflict", `can't be "replace" for a payload of the type ${payload.type}: ingest the job again instead`);
  }
}

/** A job with the library's options, of which HTTP accepts only some. */
export const submitJobSchema = createJobSchema.extend(resubmissionShape).superRefine(checkResubmission);

/** The options of the library's `ingest`: the fields of the config and the job, without the payload. */
export const ingestOptionsSchema = strict({
  ...configShape,
  name: labelSchema.nullable().default(null),
  externalId: labelSchema.nullable().default(null),
  ...resubmissionShape,
})
  .superRefine(checkChunkSizes)
  .superRefine(checkResubmission);

export const doneSchema = strict({ throwOnFailure: z.boolean().default(false) });

export const followSchema = strict({ after: z.int().min(0).optional() });
