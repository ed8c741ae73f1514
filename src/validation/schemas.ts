import { type IngestConfig, type Metadata, STATUSES } from "../types.js";
import { preview } from "../util/preview.js";
import { z } from "../vendor/zod.js";
import { parseInput, unknownKeys } from "./parse-input.js";

export { preview } from "../util/preview.js";
export { parseInput } from "./parse-input.js";

/** An object that refuses unknown keys and names the nearest known one. */
export function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? unknownKeys((issue as { keys?: string[] }).keys ?? [], known) : undefined,
  });
}

/** Keys of metadata that the engine sets itself. */
export const ENGINE_KEYS = ["documentId", "namespaceId", "tenantId", "sequence_number", "page_number"];
const METADATA_BYTES = 64 * 1024;
const METADATA_KEYS = 100;
const METADATA_DEPTH = 5;

/** Not a record schema: zod's records silently drop a key named `__proto__`. */
const metadata = z
  .custom<Metadata>(isPlainObject, "must be an object of keys and JSON values")
  .superRefine((value, context) => {
    const refuse = (message: string, path: (string | number)[] = []) =>
      context.addIssue({ code: "custom", message, path, input: undefined });
    const keys = Object.keys(value);
    if (keys.length > METADATA_KEYS) refuse(`has ${keys.length} keys; the most is ${METADATA_KEYS}`);
    for (const key of keys) {
      if (ENGINE_KEYS.includes(key)) refuse("is a key that the engine sets itself; use another name", [key]);
      // Stores encode keys as UTF-8, which replaces every lone surrogate by the same character.
      if (!key.isWellFormed()) refuse(`has a key that is not well-formed Unicode: ${JSON.stringify(key)}`);
    }
    const problem = jsonProblem(value, [], METADATA_DEPTH);
    if (problem) return refuse(problem.message, problem.path);
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > METADATA_BYTES) refuse(`takes ${bytes} bytes as JSON; the most is ${METADATA_BYTES}`);
  });

type JsonProblem = { readonly message: string; readonly path: (string | number)[] };

/** Why a value is not JSON of at most `depthLeft` levels, and at which path; `null` if it is. */
function jsonProblem(value: unknown, path: (string | number)[], depthLeft: number): JsonProblem | null {
  if (value === null || typeof value === "string" || typeof value === "boolean") return null;
  if (typeof value === "number" && Number.isFinite(value)) return null;
  const list = Array.isArray(value);
  if (!list && !isPlainObject(value)) return { message: `is no JSON value: ${preview(value)}`, path };
  if (depthLeft === 0) return { message: `is nested deeper than ${METADATA_DEPTH}`, path: path.slice(0, 1) };
  for (const [key, item] of Object.entries(value)) {
    const problem = jsonProblem(item, [...path, list ? Number(key) : key], depthLeft - 1);
    if (problem) return problem;
  }
  return null;
}

/** By tag, to exclude Date and Map and to include objects of other realms. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

export const DEFAULT_CHUNK_SIZE = 2048;
const MAX_CHUNK_SIZE = 65_536;
const optionalFlag = z.boolean().optional();

const configShape = {
  chunkSize: z.int().min(32).max(MAX_CHUNK_SIZE).optional(),
  chunkOverlap: z.number().min(0).optional(),
  maxChunkSize: z
    .number()
    .min(32)
    .max(2 * MAX_CHUNK_SIZE)
    .optional(),
  delimiter: z.string().min(1).max(1000).optional(),
  metadata: metadata.optional(),
  disableImageExtraction: optionalFlag,
  disableImageCaptions: optionalFlag,
  chartUnderstanding: optionalFlag,
  keepPageheaderInOutput: optionalFlag,
  keepPagefooterInOutput: optionalFlag,
  forceOcr: optionalFlag,
  disableOcrMath: optionalFlag,
  useLlm: optionalFlag,
  languageCode: z
    .string()
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, "must be a language tag such as en or pt-BR")
    .optional(),
  mode: z.enum(["fast", "balanced", "accurate"]).optional(),
};

/** The chunk sizes of a config, with defaults. */
export function chunkSizes(config: Pick<IngestConfig, "chunkSize" | "maxChunkSize" | "chunkOverlap">): {
  chunkSize: number;
  maxChunkSize: number;
  chunkOverlap: number;
} {
  const ceiling = config.maxChunkSize ?? Number.POSITIVE_INFINITY;
  const chunkSize = config.chunkSize ?? Math.min(DEFAULT_CHUNK_SIZE, Math.floor(ceiling));
  return {
    chunkSize,
    maxChunkSize: Math.floor(config.maxChunkSize ?? 2 * chunkSize),
    chunkOverlap: Math.floor(config.chunkOverlap ?? 0),
  };
}

function checkSizes(config: z.infer<typeof bareConfig>, context: z.RefinementCtx): void {
  const { chunkSize, maxChunkSize, chunkOverlap } = chunkSizes(config);
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message, input: undefined });
  if (chunkOverlap >= chunkSize)
    refuse("chunkOverlap", `must be below chunkSize: ${chunkOverlap} is not below ${chunkSize}`);
  if (maxChunkSize < chunkSize)
    refuse("maxChunkSize", `must be at least chunkSize: ${maxChunkSize} is below ${chunkSize}`);
}

const bareConfig = strict(configShape);
export const ingestConfigSchema = bareConfig.superRefine(checkSizes);

const httpUrl = z.string().max(8192).refine(isHttpUrl, "must be an http or https address");
const fileName = z.string().min(1).max(255).optional();

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol);
}

const textShape = { type: z.literal("TEXT"), text: z.string().min(1), fileName };
const fileShape = { type: z.literal("FILE"), fileUrl: httpUrl, fileName };
const managedShape = { type: z.literal("MANAGED_FILE"), key: z.string().min(1).max(1024), fileName };
const paths = z.array(z.string().startsWith("/", "must begin with /")).max(1000).optional();
const itemConfig = { config: bareConfig.optional() };

export const crawlShape = {
  url: httpUrl,
  maxDepth: z.int().min(1).max(100).default(5),
  limit: z.int().min(1).max(100_000).default(50),
  includePaths: paths,
  excludePaths: paths,
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

export const payloadSchema = z.discriminatedUnion("type", [
  strict(textShape),
  strict(fileShape),
  strict(managedShape),
  strict({ type: z.literal("CRAWL"), ...crawlShape }),
  strict({
    type: z.literal("YOUTUBE"),
    urls: z.array(httpUrl).min(1).max(1000),
    transcriptLanguages: z.array(z.string().min(1)).min(1).default(["en"]),
    includeMetadata: z.boolean().default(false),
  }),
  strict({
    type: z.literal("BATCH"),
    items: z
      .array(
        z.discriminatedUnion("type", [
          strict({ ...textShape, ...itemConfig }),
          strict({ ...fileShape, ...itemConfig }),
          strict({ ...managedShape, ...itemConfig }),
        ]),
      )
      .min(1)
      .max(MAX_BATCH_ITEMS),
  }),
]);

export const TENANT_ID = /^[A-Za-z0-9]{1,64}$/;
export const TENANT_ID_RULE =
  "must be 1 to 64 of the characters A-Z, a-z and 0-9; tenantIdOf(name) makes such an id from any other name";
const tenantIdSchema = z.string(TENANT_ID_RULE).regex(TENANT_ID, TENANT_ID_RULE);

/** @throws KnowledgeBaseError `invalid_input` that names `tenantId`, the value and the rule */
export function parseTenantId(tenantId: unknown): string {
  return parseInput(tenantIdSchema, tenantId, ["tenantId"]);
}

const label = z.string().min(1).max(256);

export const createJobSchema = strict({
  payload: payloadSchema,
  name: label.nullable().default(null),
  externalId: label.nullable().default(null),
  config: ingestConfigSchema.optional(),
});

const repeatShape = {
  onConflict: z.enum(["fail", "skip", "replace"]).default("fail"),
  dedupe: z.boolean().default(false),
};

function checkRepeats(
  job: { externalId: string | null; payload?: { type: string }; onConflict: string; dedupe: boolean },
  context: z.RefinementCtx,
): void {
  const refuse = (field: string, message: string) =>
    context.addIssue({ code: "custom", path: [field], message, input: undefined });
  const { externalId, payload, onConflict, dedupe } = job;
  if (onConflict !== "fail" && externalId === null) {
    refuse("onConflict", `is ${JSON.stringify(onConflict)}, which needs an externalId to find the earlier job by`);
  }
  if (onConflict === "replace" && dedupe) refuse("dedupe", 'must not be given beside onConflict "replace"');
  if (onConflict === "replace" && (payload?.type === "CRAWL" || payload?.type === "YOUTUBE")) {
    refuse("onConflict", `can't be "replace" for a payload of the type ${payload.type}: ingest the job again instead`);
  }
}

/** The library's options; HTTP accepts a part of them. */
export const submitJobSchema = createJobSchema.extend(repeatShape).superRefine(checkRepeats);

/** The library's short form: config fields beside the job's, without the payload. */
export const ingestOptionsSchema = strict({
  ...configShape,
  name: label.nullable().default(null),
  externalId: label.nullable().default(null),
  ...repeatShape,
})
  .superRefine(checkSizes)
  .superRefine(checkRepeats);

/** Paths below a folder. Files outside would be deleted and added again by each sync. */
const pathPattern = z
  .string()
  .min(1)
  .max(1000)
  .refine((pattern) => !/^(?:[/\\]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(pattern), "must stay below the folder");
const pathPatterns = z.preprocess(
  (given) => (typeof given === "string" ? [given] : given),
  z.array(pathPattern).max(1000),
);
export const syncedFolderSchema = strict({
  dir: z.string().min(1),
  include: pathPatterns.default(["**"]),
  exclude: pathPatterns.default([]),
  source: label.optional(),
  deleteExcluded: z.boolean().default(false),
  allowEmpty: z.boolean().default(false),
});

/** Interval of full scans of a watched folder, in milliseconds. */
export const watchSchema = strict({ lookEveryMs: z.int().min(1000).max(86_400_000).default(60_000) });

const namespaceName = z.string().min(1).max(64);
const slug = z
  .string()
  .min(2)
  .max(48)
  .regex(/^[A-Za-z0-9_-]+$/, "may have letters, digits, - and _ only")
  .refine((value) => !value.toLowerCase().startsWith("ns_"), "must not begin with ns_, which ids do");
const driverConfig = z.looseObject({ provider: z.string().min(1) });

export const createNamespaceSchema = strict({
  name: namespaceName,
  slug,
  embeddingConfig: driverConfig.optional(),
  vectorStoreConfig: driverConfig.optional(),
});

export const createNamespaceOptionsSchema = strict({ unknownKeys: z.enum(["refuse", "ignore"]).default("refuse") });

export const updateNamespaceSchema = strict({ name: namespaceName.optional(), slug: slug.optional() });

const listShape = {
  order: z.enum(["asc", "desc"]).default("desc"),
  orderBy: z.literal("createdAt").default("createdAt"),
  cursor: z.string().min(1).optional(),
  cursorDirection: z.enum(["forward", "backward"]).default("forward"),
  page: z.int().min(1).max(10_000).optional(),
  perPage: z.int().min(1).max(100).default(30),
};

function checkPlace({ cursor, page }: { cursor?: unknown; page?: unknown }, context: z.RefinementCtx): void {
  if (cursor === undefined || page === undefined) return;
  const message = "must not be given beside a cursor: either says where to begin";
  context.addIssue({ code: "custom", path: ["page"], message, input: undefined });
}

export const listSchema = strict(listShape).superRefine(checkPlace);
export const listJobsSchema = strict({ ...listShape, statuses: z.array(z.enum(STATUSES)).optional() }).superRefine(
  checkPlace,
);
export const listDocumentsSchema = strict({
  ...listShape,
  statuses: z.array(z.enum(STATUSES)).optional(),
  ingestJobId: z.string().min(1).optional(),
}).superRefine(checkPlace);

export const doneSchema = strict({ throwOnFailure: z.boolean().default(false) });

export const followSchema = strict({ after: z.int().min(0).optional() });

/** In milliseconds. */
export const rerankTimeout = z.int().min(1).max(600_000);

/** Default mode of the library and the command line. The HTTP API has its own default. */
export const DEFAULT_MODE = "hybrid";

const searchShape = {
  query: z.string().min(1).max(8000),
  mode: z.enum(["semantic", "keyword", "hybrid"]).default(DEFAULT_MODE),
  topK: z.int().min(1).max(100).default(10),
  rerank: z.boolean().default(true),
  rerankLimit: z.int().min(1).max(100).optional(),
  rerankModel: z.string().min(1).optional(),
  // Validated by the filter's own parser.
  filter: z.custom<object>((value) => value !== undefined).optional(),
  rerankTimeoutMs: rerankTimeout.optional(),
  minScore: z.number().min(0).max(1).optional(),
  fusion: z.enum(["convex", "rrf"]).default("convex"),
  semanticWeight: z.number().min(0).max(1).optional(),
  keywordFilter: z.string().max(8000).optional(),
  includeRelationships: z.boolean().default(false),
  includeMetadata: z.boolean().default(true),
  includeHighlights: z.boolean().default(false),
  explain: z.boolean().default(false),
};
export const searchSchema = strict(searchShape);
export const explainSchema = strict({ ...searchShape, documentId: z.string().min(1) });

export const MAX_UPLOAD_BYTES = 200 * 1024 * 1024;

const mediaType = z
  .string()
  .max(255)
  .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/, "must be a media type such as text/plain");
export const createUploadSchema = strict({
  fileName: z.string().min(1).max(255),
  contentType: mediaType,
  fileSize: z.int().min(1),
});
export const createUploadsSchema = strict({ files: z.array(createUploadSchema).min(1).max(100) });
export const putUploadSchema = strict({
  fileName: z.string().min(1).max(255),
  contentType: mediaType.default("application/octet-stream"),
});

const byteOffset = z.int().min(0);
const pageNumber = z.int().min(1).optional();

/** Query parameters of a document's text. */
export const pageRangeSchema = strict({ fromPage: pageNumber, toPage: pageNumber });

export const documentTextSchema = strict({
  pages: strict({ from: pageNumber, to: pageNumber })
    .refine(({ from = 1, to = from }) => from <= to, "must not end before its start")
    .optional(),
});

export const downloadSchema = strict({
  range: strict({ start: byteOffset, end: byteOffset })
    .refine(({ start, end }) => start <= end, "must not end before its start")
    .optional(),
});

export const createOrganizationSchema = strict({
  id: z
    .string()
    .regex(/^org_[A-Za-z0-9]{1,64}$/, "must be org_ and 1 to 64 letters or digits")
    .optional(),
  name: z.string().min(1).max(256),
  plan: z.enum(["free", "pro"]).nullable().default(null),
});
export const updateOrganizationSchema = strict({
  name: z.string().min(1).max(256).optional(),
  plan: z.enum(["free", "pro"]).nullable().optional(),
});

/** Permissions of API keys, each including the previous one. */
export const API_KEY_SCOPES = ["read", "write", "admin"] as const;

export const createApiKeySchema = strict({
  name: z.string().min(1).max(256),
  scope: z.enum(API_KEY_SCOPES),
});
export const updateApiKeySchema = strict({ name: z.string().min(1).max(256) });

const emails = z.array(z.email()).max(1000);
const examples = z.array(z.string().min(1).max(500)).max(4);
const webAddress = httpUrl.nullable();

export const hostingSettingsSchema = strict({
  title: z.string().min(1).max(256),
  slug: z
    .string()
    .min(2)
    .max(64)
    .regex(/^[A-Za-z0-9_-]+$/, "may have letters, digits, - and _ only"),
  logo: webAddress,
  ogTitle: z.string().max(70).nullable(),
  ogDescription: z.string().max(200).nullable(),
  ogImage: webAddress,
  systemPrompt: z.string().max(20_000).nullable(),
  exampleQuestions: examples,
  exampleSearchQueries: examples,
  welcomeMessage: z.string().max(2000).nullable(),
  citationMetadataPath: z.string().max(256).nullable(),
  searchEnabled: z.boolean(),
  rerankConfig: strict({ model: z.string().min(1).nullable(), limit: z.int().min(1).max(100) }),
  llmConfig: strict({ model: z.string().min(1).nullable() }),
  topK: z.int().min(1).max(100),
  protected: z.boolean(),
  allowedEmails: emails,
  allowedEmailDomains: z
    .array(z.string().regex(/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/i, "must be a domain such as example.com"))
    .max(1000),
});

export const updateHostingSchema = hostingSettingsSchema.partial().extend({
  rerankModel: z.string().min(1).optional(),
  rerankLimit: z.int().min(1).max(100).optional(),
  llmModel: z.string().min(1).optional(),
});
