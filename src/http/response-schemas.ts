import { STATUSES, WEBHOOK_EVENT_TYPES } from "../types.js";
import { GOLDEN_ORIGINS, GOLDEN_STATUSES } from "../validation/golden-question-schema.js";
import { hostingSettingsSchema } from "../validation/hosting-schema.js";
import { WEBHOOK_DELIVERY_STATUSES } from "../validation/webhook-schema.js";
import { z } from "../vendor/zod.js";

// The schemas of responses, for the OpenAPI document and for tests. Responses are the engine's records, without any
// conversion; a test validates every response against these schemas and rejects unknown keys.

const timestampSchema = z.iso.datetime().describe("ISO 8601 in UTC");
const timestampFields = {
  createdAt: timestampSchema,
  queuedAt: timestampSchema.nullable(),
  preProcessingAt: timestampSchema.nullable(),
  processingAt: timestampSchema.nullable(),
  completedAt: timestampSchema.nullable(),
  failedAt: timestampSchema.nullable(),
};
const anyObjectSchema = z.record(z.string(), z.unknown());
const jobStatusSchema = z.enum(STATUSES);

const resourceUsageSchema = z.strictObject({ used: z.int(), limit: z.int().nullable() });
export const usageSchema = z.strictObject({
  documents: resourceUsageSchema,
  bytes: resourceUsageSchema,
  tokens: resourceUsageSchema,
});

export const namespaceSchema = z.strictObject({
  id: z.string().startsWith("ns_"),
  name: z.string(),
  slug: z.string(),
  organizationId: z.string(),
  createdAt: timestampSchema,
  embeddingConfig: z.looseObject({ provider: z.string(), model: z.string().optional() }),
  vectorStoreConfig: z.looseObject({ provider: z.string() }),
  vectorSet: z.int(),
});

export const reembeddingSchema = z.strictObject({
  state: z.enum(["running", "ready", "cut_over", "discarding"]),
  embeddingConfig: z.looseObject({ provider: z.string(), model: z.string().optional() }),
  vectorStoreConfig: z.looseObject({ provider: z.string() }),
  vectorSet: z.int(),
  isCutOverRequested: z.boolean(),
  chunksPerSecond: z.int().nullable(),
  embedded: z.int(),
  total: z.int(),
  error: z.string().nullable(),
  isStopped: z.boolean(),
  startedAt: timestampSchema,
  completedAt: timestampSchema.nullable(),
});

export const reembeddingEstimateSchema = z.strictObject({
  chunks: z.int(),
  tokens: z.int(),
  characters: z.int(),
  dimensions: z.int(),
  vectorBytes: z.int(),
});

export const ingestJobSchema = z.strictObject({
  id: z.string(),
  namespaceId: z.string(),
  tenantId: z.string().nullable(),
  externalId: z.string().nullable(),
  name: z.string().nullable(),
  status: jobStatusSchema,
  error: z.string().nullable(),
  payload: z.looseObject({ type: z.string() }),
  config: anyObjectSchema,
  counts: z.strictObject({
    documents: z.strictObject({ total: z.int(), completed: z.int(), failed: z.int() }),
    pages: z.int(),
    chunks: z.int(),
    embedded: z.int(),
  }),
  ...timestampFields,
});

export const documentSchema = z.strictObject({
  id: z.string().startsWith("doc_"),
  ingestJobId: z.string(),
  namespaceId: z.string(),
  name: z.string().nullable(),
  tenantId: z.string().nullable(),
  status: jobStatusSchema,
  error: z.string().nullable(),
  source: z.looseObject({ type: z.string(), text: z.string().optional() }),
  properties: z.strictObject({ fileSize: z.number().describe("Bytes"), mimeType: z.string() }),
  config: anyObjectSchema,
  warnings: z.array(z.string()),
  totalChunks: z.int(),
  totalTokens: z.int(),
  totalCharacters: z.int(),
  totalPages: z.int(),
  ...timestampFields,
});

const rankSchema = z.int().min(1);
const scoreSchema = z.number().min(0).max(1);
const termsSchema = z.array(z.string());
const hitExplanationSchema = z.strictObject({
  query: z.string().optional(),
  keyword: z
    .strictObject({
      rank: rankSchema,
      score: scoreSchema,
      bm25: z.number(),
      ceiling: z.number(),
      termsFound: termsSchema,
      termsMissing: termsSchema,
      similarWords: z.array(z.strictObject({ term: z.string(), words: termsSchema })).optional(),
    })
    .optional(),
  semantic: z.strictObject({ rank: rankSchema, score: scoreSchema, similarity: z.number().min(-1).max(1) }).optional(),
  fusion: z
    .strictObject({
      method: z.enum(["convex", "rrf"]),
      semanticWeight: scoreSchema,
      rank: rankSchema,
      score: scoreSchema,
    })
    .optional(),
  boost: z.strictObject({ factor: scoreSchema, rank: rankSchema, score: scoreSchema }).optional(),
  diversity: z.strictObject({ rank: rankSchema, similarity: scoreSchema }).optional(),
  rerank: z.strictObject({ model: z.string(), rank: rankSchema, score: scoreSchema.nullable() }).optional(),
});

const pageBoxSchema = z.strictObject({ page: z.int(), bbox: z.array(z.number()).length(4) });

const sheetRangeSchema = z.strictObject({
  sheet: z.string(),
  range: z.string().describe("The first and the last cell, as in `A12:F12`"),
});

export const searchHitSchema = z.strictObject({
  id: z.string(),
  score: z.number().min(0).max(1),
  rerankScore: z.number().min(0).max(1).optional(),
  text: z.string(),
  metadata: anyObjectSchema.optional(),
  range: z
    .strictObject({ start: z.int(), end: z.int() })
    .optional()
    .describe("The range of the passage in the document's text, in UTF-16 units"),
  pages: z.array(z.int().min(1)).length(2).optional().describe("The first and the last page of the passage"),
  boxes: z
    .array(pageBoxSchema)
    .optional()
    .describe(
      "The boxes of the passage on the file's pages: left, top, right, bottom in points from the upper left corner",
    ),
  cells: z.array(sheetRangeSchema).optional().describe("The cells of a workbook that the passage comes from"),
  highlights: z
    .array(
      z.strictObject({
        start: z.int(),
        end: z.int(),
        page: z.int().optional().describe("The page of the words"),
        boxes: z
          .array(pageBoxSchema)
          .optional()
          .describe("The boxes of the blocks that contain the sentence of the words"),
        cells: z.array(sheetRangeSchema).optional().describe("The rows of a workbook that contain the words"),
      }),
    )
    .optional()
    .describe("The ranges of the query's words in `text`, in UTF-16 units"),
  context: z
    .strictObject({
      text: z.string(),
      range: z.strictObject({ start: z.int(), end: z.int() }),
      hits: z.array(z.string()).describe("The ids of the hits in the range: this one, and those left out for it"),
    })
    .optional()
    .describe("The passage with its neighbours, if requested by `neighbourTokens`"),
  relationships: z
    .strictObject({
      previous: z.string().optional(),
      next: z.string().optional(),
      document: z.string(),
      headingPath: z.array(z.string()),
      siblings: z.array(z.string()),
    })
    .optional(),
  explanation: hitExplanationSchema.optional().describe("Ranks and scores at every stage, if requested by `explain`"),
});

export const passagePageSchema = z.strictObject({
  items: z.array(
    searchHitSchema
      .pick({ id: true, text: true, metadata: true, range: true, pages: true, boxes: true, cells: true })
      .required({ metadata: true, range: true })
      .extend({ documentId: z.string() }),
  ),
  nextCursor: z.string().nullable().describe("The cursor of the next page; null on the last page"),
  total: z.int().min(0).optional().describe("The number of passages on all pages, if requested by `includeTotal`"),
});

export const facetSchema = z.strictObject({
  key: z.string(),
  values: z.array(
    z.strictObject({
      value: z.union([z.string(), z.number(), z.boolean()]),
      documents: z.int().min(1),
      passages: z.int().min(1),
    }),
  ),
  distinctValues: z.int().min(0).describe("The number of different values, returned or not"),
});

export const healthReportResponseSchema = z.strictObject({
  isComplete: z.boolean().describe("Whether all passages have been checked. If not, the next report goes on"),
  nearDuplicates: z.int(),
  unfindablePassages: z.int(),
  unansweredQuestions: z.int().describe("Of those that the server keeps: by default none"),
  staleDocuments: z.int(),
  badlyParsedDocuments: z.int(),
});

const healthPassageSchema = z.strictObject({
  documentId: z.string(),
  documentName: z.string().nullable(),
  chunkId: z.string(),
  text: z.string(),
});

export const healthFindingSchema = z.union([
  z.strictObject({ passage: healthPassageSchema, original: healthPassageSchema, similarity: z.number().min(0).max(1) }),
  z.strictObject({ passage: healthPassageSchema, question: z.string() }),
  z.strictObject({ question: z.string(), askedBy: z.enum(["search", "ask"]), askedAt: timestampSchema }),
  z.strictObject({
    documentId: z.string(),
    documentName: z.string().nullable(),
    warnings: z.array(z.string()),
    totalChunks: z.int(),
    totalPages: z.int(),
    currentAt: timestampSchema.describe("When the content was ingested, or last found unchanged at its source"),
  }),
]);

export const storedGoldenQuestionSchema = z.strictObject({
  id: z.string().startsWith("gq_"),
  namespaceId: z.string(),
  tenantId: z.string().nullable(),
  key: z.string().describe("Identifies the question across evaluations and imports"),
  question: z.string(),
  answers: z.array(
    z.strictObject({
      document: z.string().optional(),
      externalId: z.string().optional(),
      page: z.int().min(1).optional(),
      contains: z.string().optional(),
      grade: z.number().positive().optional(),
    }),
  ),
  origin: z.enum(GOLDEN_ORIGINS),
  status: z.enum(GOLDEN_STATUSES).describe("Only active questions are evaluated"),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const goldenQuestionCountsSchema = z.strictObject({
  added: z.int(),
  replaced: z.int(),
  unchanged: z.int(),
  leftOut: z.int().describe("Made questions for which the namespace has no room"),
});

export const generatedQuestionCountsSchema = goldenQuestionCountsSchema.extend({
  rejected: z.int().describe("Replies of the language model without a question or a quotation of the passage"),
  lastDocument: z.string().nullable().describe("Where a limit was reached: send it as `after` to go on"),
});

const intervalSchema = z.strictObject({ mean: z.number(), low: z.number(), high: z.number() });
const evaluationResultSchema = z.strictObject({
  name: z.string(),
  setting: anyObjectSchema.describe("The setting as it was sent"),
  measures: z.record(z.string(), intervalSchema).describe("Means over all questions, with 95 % confidence intervals"),
  searchMs: z.strictObject({ p50: z.number(), p95: z.number(), max: z.number() }),
});

export const evaluationSummarySchema = z.strictObject({
  id: z.string().startsWith("eval_"),
  namespaceId: z.string(),
  tenantId: z.string().nullable(),
  name: z.string().nullable(),
  createdAt: timestampSchema,
  embeddingConfig: z.looseObject({ provider: z.string(), model: z.string().optional() }),
  questions: z.int().describe("The number of questions"),
  skipped: z
    .array(z.strictObject({ id: z.string(), reason: z.string() }))
    .describe("Questions whose answers name a document that doesn't exist"),
  results: z.array(evaluationResultSchema),
  comparisons: z
    .array(
      z.strictObject({
        name: z.string(),
        to: z.string(),
        measure: z.string(),
        difference: intervalSchema,
        p: z.number().describe("The p-value of the paired randomization test"),
      }),
    )
    .describe("Every other setting compared with the first"),
  statistics: z.strictObject({
    confidence: z.number(),
    resamples: z.int(),
    permutations: z.int(),
    seed: z.int(),
  }),
});

export const evaluationSchema = evaluationSummarySchema.extend({
  results: z.array(
    evaluationResultSchema.extend({
      questions: z.array(z.strictObject({ id: z.string(), scores: z.record(z.string(), z.number()) })),
    }),
  ),
});

export const evaluationComparisonSchema = z.strictObject({
  comparisons: z.array(
    z.strictObject({
      name: z.string(),
      measure: z.string(),
      questions: z.int(),
      before: z.number(),
      now: z.number(),
      difference: intervalSchema,
      p: z.number(),
    }),
  ),
  notes: z.array(z.string()),
});

const evaluatedVectorsSchema = reembeddingSchema.pick({ embeddingConfig: true, vectorStoreConfig: true });
const judgedComparisonSchema = z.strictObject({
  questions: z.int(),
  skipped: z
    .array(z.strictObject({ id: z.string(), reason: z.string() }))
    .describe("Questions whose answers name a document that doesn't exist"),
  comparisons: z.array(
    z.strictObject({
      name: z.string().describe("The name of the setting"),
      measure: z.string(),
      current: z.number(),
      other: z.number(),
      difference: intervalSchema.describe("`other` minus `current`"),
      p: z.number().describe("The p-value of the paired randomization test"),
    }),
  ),
});
const listedHitsSchema = z
  .array(z.strictObject({ id: z.string(), documentId: z.string(), text: z.string() }))
  .describe("The first three hits, with the first 200 characters of each");

export const reembeddingEvaluationSchema = z.strictObject({
  current: evaluatedVectorsSchema.describe("What searches use"),
  other: evaluatedVectorsSchema.describe("What they don't use: the new vectors, or after the cut-over the old ones"),
  golden: judgedComparisonSchema.describe("By the active golden questions"),
  clicked: judgedComparisonSchema.describe("By the questions that clicks answer"),
  sample: z
    .strictObject({
      queries: z.int().describe("The number of queries that were searched for, each as often as it was asked"),
      comparisons: z.array(
        z.strictObject({
          name: z.string().describe("The name of the setting"),
          overlap: intervalSchema.describe("The share of the first ten hits that both find"),
          rankBiasedOverlap: intervalSchema.describe("Of the first ten hits, with p = 0.9"),
          sameFirstHit: intervalSchema.describe("The share of the queries whose first hit is the same"),
          failed: z
            .int()
            .describe("The number of the queries that are left out because a model or a store refused them"),
          withoutHits: z.strictObject({ current: z.int(), other: z.int() }),
          mostDifferent: z.array(
            z.strictObject({
              query: z.string(),
              tenantId: z.string().nullable(),
              times: z.int().describe("How often the query is in the sample"),
              overlap: z.number(),
              rankBiasedOverlap: z.number(),
              current: listedHitsSchema,
              other: listedHitsSchema,
            }),
          ),
        }),
      ),
    })
    .describe("By a sample of readers' queries, if the server's knowledge base keeps one: `lorebase serve` doesn't"),
});

export const goldenGuardResponseSchema = z.strictObject({
  measures: z.array(z.string()),
  settings: z.array(anyObjectSchema),
  createdAt: timestampSchema,
});

export const clickSchema = z.strictObject({
  id: z.string().startsWith("click_"),
  namespaceId: z.string(),
  tenantId: z.string().nullable(),
  question: z.string(),
  chunkId: z.string(),
  createdAt: timestampSchema,
});

export const documentTextSchema = z.strictObject({
  text: z.string().describe("The text of the requested pages"),
  pages: z
    .array(z.strictObject({ page: z.int(), start: z.int(), end: z.int() }))
    .describe("The requested pages, each with its range in the text of the whole document"),
});

export const uploadSchema = z.strictObject({
  url: z.url().describe("Where to PUT the bytes, with the declared Content-Type"),
  key: z.string().describe("The key for a MANAGED_FILE payload"),
});

export const hostingSchema = hostingSettingsSchema.extend({
  url: z.url().describe("The page's absolute URL"),
  namespaceId: z.string(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export const urlSchema = z.strictObject({ url: z.url() });
export const idSchema = z.strictObject({ id: z.string() });
export const statusSchema = z.strictObject({ status: z.literal(true) });

export const webhookSchema = z.strictObject({
  id: z.string().startsWith("wh_"),
  organizationId: z.string(),
  url: z.url(),
  description: z.string().nullable(),
  eventTypes: z.array(z.enum(WEBHOOK_EVENT_TYPES)).describe("Empty if all events are sent"),
  enabled: z.boolean(),
  disabledReason: z.string().nullable(),
  failingSince: timestampSchema.nullable(),
  createdAt: timestampSchema,
});

export const webhookWithSecretSchema = webhookSchema.extend({ secret: z.string().startsWith("whsec_") });

export const webhookDeliverySchema = z.strictObject({
  id: z.string().startsWith("msg_"),
  webhookId: z.string(),
  event: z.strictObject({
    type: z.enum([...WEBHOOK_EVENT_TYPES, "webhook.ping"]),
    timestamp: timestampSchema,
    data: anyObjectSchema,
  }),
  status: z.enum(WEBHOOK_DELIVERY_STATUSES),
  attempts: z.int(),
  nextAttemptAt: timestampSchema.nullable(),
  lastAttemptAt: timestampSchema.nullable(),
  httpStatus: z.int().nullable(),
  error: z.string().nullable(),
  createdAt: timestampSchema,
  endedAt: timestampSchema.nullable(),
});

export const paginationSchema = z.strictObject({
  nextCursor: z.string().nullable(),
  prevCursor: z.string().nullable(),
  hasMore: z.boolean(),
});

export const errorResponseSchema = z.strictObject({
  success: z.literal(false),
  error: z.strictObject({ code: z.string(), message: z.string(), doc_url: z.url() }),
});
