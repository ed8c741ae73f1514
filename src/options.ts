import { resolve } from "node:path";
import { getErrorMessage } from "./errors.js";
import type { AiSdkLanguageModel } from "./interfaces/ai-sdk-language-model.js";
import type { AiSdkRerankingModel } from "./interfaces/ai-sdk-reranking-model.js";
import type { BlobStore } from "./interfaces/blob-store.js";
import type { Chunker } from "./interfaces/chunker.js";
import type { Embedder } from "./interfaces/embedder.js";
import type { LanguageModel } from "./interfaces/language-model.js";
import type { Parser } from "./interfaces/parser.js";
import type { AnyProvider } from "./interfaces/provider.js";
import type { Reranker } from "./interfaces/reranker.js";
import type { VectorStore } from "./interfaces/vector-store.js";
import type { VideoSource } from "./interfaces/video-source.js";
import { toLanguageModel } from "./language-models/to-language-model.js";
import { apiKeySchema, baseUrlSchema } from "./net/account-fields.js";
import { type NetworkOptions, networkSchema } from "./net/private-hosts.js";
import { hostedVendorOf } from "./providers/reranker-names.js";
import { parseMasterKey } from "./secrets/master-key.js";
import { preview } from "./util/preview.js";
import { parseInput } from "./validation/parse-input.js";
import { rerankTimeoutSchema } from "./validation/search-schema.js";
import type { PgvectorAccount } from "./vector-stores/pgvector/provider.js";
import { type PineconeAccount, pineconeHostSchema } from "./vector-stores/pinecone/provider.js";
import { type TurbopufferAccount, turbopufferRegionSchema } from "./vector-stores/turbopuffer/provider.js";
import { z } from "./vendor/zod.js";

/** Options of a {@link KnowledgeBase}. */
export interface KnowledgeBaseOptions {
  /**
   * The directory of `lorebase.db`, `blobs/` and `models/`. `":memory:"` means a temporary directory, removed on close.
   * @default "./lorebase"
   */
  readonly directory?: string | undefined;
  /**
   * The URL of a PostgreSQL database that several processes and machines can share: `postgres://user:password@host/name`,
   * with any parameters of the package `pg`, which must be installed. The server must be PostgreSQL 15 or later, and the
   * database, in UTF-8, of lorebase alone. Needs `masterKey`, and `blobs` or `sharedDirectory`. `directory` then holds
   * models and temporary files.
   * @default `lorebase.db` in `directory`
   */
  readonly database?: string | undefined;
  /**
   * Whether all processes that share `database` also have the same `directory`, for example because there is only one.
   * Uploaded files may then be stored there. @default false
   */
  readonly sharedDirectory?: boolean | undefined;
  /**
   * Whether to open `directory` for reading only, without writing anything to it: its file system may be read-only. It
   * must have a database of this version's schema. Every change fails with `forbidden`, and no jobs run. Model files
   * are downloaded only if `modelsDirectory` is set. Without a readable `secret.key` and without `masterKey`, signed
   * URLs are valid only until `close`. Not possible with `database`. @default false
   */
  readonly readOnly?: boolean | undefined;
  /** The directory of model files. @default `models` in `directory` */
  readonly modelsDirectory?: string | undefined;
  /**
   * The embedding model of namespaces that are created without an `embeddingConfig`.
   * @default local transformer embeddings, or static embeddings if transformers can't be loaded
   */
  readonly defaultEmbedding?: { readonly provider: string; readonly [key: string]: unknown } | undefined;
  /** Custom embedders. A namespace selects one by its provider name. */
  readonly embedders?: readonly AnyProvider<Embedder>[] | undefined;
  /** Custom vector stores. A namespace selects one by its provider name. */
  readonly vectorStores?: readonly AnyProvider<VectorStore>[] | undefined;
  /**
   * Rerankers that a search can name; the first is the default.
   * - `transformers:<model>` is a cross-encoder that runs in this process, with model files in the Hugging Face Hub's
   *   `onnx` layout. `transformers` alone means `Xenova/ms-marco-MiniLM-L-6-v2`.
   * - `cohere:<model>` and `zeroentropy:<model>` are hosted and need a key in `managed`. A vendor alone means its best
   *   model.
   * - A reranking model of the AI SDK is named `vendor:model`, from its `provider` and `modelId`.
   * @default none
   */
  readonly rerankers?: readonly (Reranker | AiSdkRerankingModel | string)[] | undefined;
  /**
   * Answers the questions of `ask`, the chat route, hosted pages and agents. Also describes images and repairs tables
   * of documents with `useLlm` in their `config`, for which the model must accept images.
   * @default none: answers are quotes, and documents with `useLlm` get a warning
   */
  readonly languageModel?: LanguageModel | AiSdkLanguageModel | undefined;
  /** Your accounts with hosted services, shared by all namespaces. The keys are kept in memory only. */
  readonly managed?: ManagedOptions | undefined;
  /** Whether a search fails with its reranker, or returns the hits in the order of retrieval. @default "fail" */
  readonly rerankFailure?: "fail" | "keep-order" | undefined;
  /** Default time limit for reranking in one search, in milliseconds, 1 to 600000. @default no limit */
  readonly rerankTimeoutMs?: number | undefined;
  /**
   * Custom parsers, tried before the built-in ones. Files that they accept are parsed on the caller's thread, without
   * limits of time and memory.
   */
  readonly parsers?: readonly Parser[] | undefined;
  /**
   * A custom chunker. If set, all parsing and chunking runs on the caller's thread, without limits of time and memory.
   */
  readonly chunker?: Chunker | undefined;
  /** Reads the videos of `YOUTUBE` payloads. @default the site's public pages */
  readonly videoSource?: VideoSource | undefined;
  /** Stores uploaded files. @default the folder `blobs` in `directory`, which with `database` must be shared */
  readonly blobs?: BlobStore | undefined;
  /** The worker that runs queued jobs in this process. `false` leaves them to other processes and to `drain()`. */
  readonly worker?: false | WorkerOptions | undefined;
  readonly limits?: LimitOptions | undefined;
  /** How long records are kept that only tell what has happened. */
  readonly retention?: RetentionOptions | undefined;
  /** Retries and timeouts of calls to hosted models and vector stores. */
  readonly calls?: HostedCallLimits | undefined;
  readonly network?: NetworkOptions | undefined;
  /**
   * The key that encrypts stored secrets and signs URLs: 32 bytes, raw or as hex or base64. In a list, the first
   * key encrypts and signs, and all of them decrypt and verify; `rotateKeys` encrypts everything with the first. A
   * `secret.key` in the directory counts as the last key of the list.
   * @default `secret.key` in the directory, created once and readable by its owner only
   */
  readonly masterKey?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /**
   * The base URL at which signed URLs and hosted pages are served, such as `https://kb.example.com` or, with a path
   * before `/v1/…` and `/h/…`, `https://example.com/kb`.
   * @default none: signed URLs and the URLs of pages are paths, which begin with `/v1/` and `/h/`
   */
  readonly publicUrl?: string | undefined;
  /**
   * Whether to collect what {@link KnowledgeBase.metrics} returns, from when the knowledge base is opened.
   * @default false
   */
  readonly metrics?: boolean | undefined;
  /** The clock, for tests. @default the system clock */
  readonly clock?: (() => Date) | undefined;
}

/** Your accounts with hosted services. */
export interface ManagedOptions {
  /** For namespaces with `MANAGED_OPENAI` embeddings. */
  readonly openai?: ManagedOpenAIAccount | undefined;
  /** Lets searches name Cohere's rerankers, such as `cohere:rerank-v4.0-pro`. */
  readonly cohere?: ManagedAccount | undefined;
  /** Lets searches name ZeroEntropy's rerankers, such as `zeroentropy:zerank-2`. */
  readonly zeroentropy?: ManagedAccount | undefined;
  /** The index behind `MANAGED_PINECONE`. It must have the dimensions of the namespaces' embedders. */
  readonly pinecone?: PineconeAccount | undefined;
  /** The account behind `MANAGED_TURBOPUFFER`. */
  readonly turbopuffer?: TurbopufferAccount | undefined;
  /**
   * The database behind `MANAGED_PGVECTOR`, which must have the extension pgvector, 0.8 or later.
   * @default the one of the option `database`
   */
  readonly pgvector?: PgvectorAccount | undefined;
}

export interface ManagedAccount {
  readonly apiKey: string;
  /** Replaces the vendor's base URL, for example with a proxy's URL. */
  readonly baseUrl?: string | undefined;
}

export interface ManagedOpenAIAccount extends ManagedAccount {
  /** The organization to bill. @default the organization of the key */
  readonly organization?: string | undefined;
}

export interface WorkerOptions {
  /** Jobs that run at the same time, 1 to 64, not counting jobs that wait for the network. @default 2 */
  readonly concurrency?: number | undefined;
  /** Documents of one job that are processed at the same time, 1 to 256. @default 32 */
  readonly documents?: number | undefined;
}

export interface HostedCallLimits {
  /**
   * Maximum attempts of one call, 1 to 20. After the last, a job goes back to the queue and a search fails.
   * @default 5
   */
  readonly attempts?: number | undefined;
  /**
   * Maximum wait before the second attempt, in milliseconds, 1 to 20000. It doubles with each attempt, and the actual
   * wait is random (full jitter). A wait that the service asks for is added, up to 30 seconds; a longer one is left to
   * the queue.
   * @default 500
   */
  readonly backoffMs?: number | undefined;
  /**
   * Timeout of one attempt in milliseconds, 1 to 600000, for drivers that don't set their own.
   * @default 60000
   */
  readonly timeoutMs?: number | undefined;
}

export interface LimitOptions {
  /** Maximum queued and running jobs of one organization; further jobs stay in the backlog. @default 1000 */
  readonly activeJobs?: number | undefined;
  /**
   * Time limit for parsing and chunking one document, in milliseconds. It restarts with each page that is rendered or
   * read by text recognition, up to four times the limit in total.
   * @default 30000
   */
  readonly parseTimeoutMs?: number | undefined;
  /**
   * Memory limit for parsing one document, in megabytes: four fifths for the process that parses it, the rest for
   * receiving its chunks. Text recognition and rendering for a language model may use twice as much. A document that
   * needs more fails with `limit_exceeded`.
   * @default 512
   */
  readonly parseMemoryMb?: number | undefined;
  /**
   * Memory for in-memory vector indexes, in megabytes. A chunk takes about as many bytes as its vector has dimensions,
   * plus 40; a large scope uses half as much again if there is room. Scopes that don't fit are searched by SQL: slower,
   * with the same results. 0 turns the indexes off.
   * @default 1024
   */
  readonly scanMemoryMb?: number | undefined;
  /**
   * Attempts without progress before a job fails. A download that fails gets the same number of attempts, but
   * at most four.
   * @default 8
   */
  readonly attempts?: number | undefined;
}

export interface RetentionOptions {
  /**
   * Days after the end of a job after which the changes of status in its events are removed, 1 to 3650. The last event
   * stays, and so do the events of skipped items and crawls. @default 30
   */
  readonly eventDays?: number | undefined;
  /**
   * Days after which deliveries to webhooks that have ended are removed, and pending ones of webhooks that have been
   * disabled for as long, 1 to 3650. @default 30
   */
  readonly webhookDeliveryDays?: number | undefined;
  /**
   * Days for which questions that found nothing are kept for `health`, the newest 10,000 of a namespace, 0 to 3650.
   * @default 0: they are not kept
   */
  readonly unansweredQuestionDays?: number | undefined;
  /**
   * Days for which a random sample of the queries of `search` and `ask` is kept for `reembedding.evaluate`, up to 1000 of
   * a namespace, 0 to 3650.
   * @default 0: none is kept
   */
  readonly sampledQueryDays?: number | undefined;
}

/** The error doesn't quote the value, which is a secret. */
const masterKeySchema = z.unknown().transform((given, context) => {
  const key = parseMasterKey(given);
  if (key) return key;
  context.addIssue({ code: "custom", message: "must be 32 bytes, raw or as hex or base64", input: undefined });
  return z.NEVER;
});

const anyValueSchema = z.custom<never>((value) => value !== undefined);
/** Matches reranker names with any model, whose name the vendor checks. */
const RERANKER_NAME_PATTERN = /^(?:transformers|cohere|zeroentropy|vendor_a|vendor_b)(?::.+)?$/;
const rerankerSchema = anyValueSchema.superRefine((value: unknown, context) => {
  if (typeof value !== "string" || RERANKER_NAME_PATTERN.test(value)) return;
  const names = "transformers:Xenova/ms-marco-MiniLM-L-6-v2, cohere:rerank-v4.0-pro or zeroentropy:zerank-2";
  const rule = `must be a reranker, a reranking model of the AI SDK, or a name such as ${names}`;
  const message = `${rule}, not ${preview(value)}`;
  context.addIssue({ code: "custom", message, input: undefined });
});

function checkLanguageModel(value: unknown, context: z.core.$RefinementCtx): void {
  try {
    toLanguageModel(value);
  } catch (error) {
    context.addIssue({ code: "custom", message: getErrorMessage(error), input: undefined });
  }
}

/** The error doesn't quote the URL, which may contain a password. */
const databaseSchema = z.unknown().transform((given, context) => {
  if (typeof given === "string" && URL.canParse(given) && /^postgres(?:ql)?:$/.test(new URL(given).protocol))
    return given;
  const message = "must be a URL that begins with postgres:// or postgresql://";
  context.addIssue({ code: "custom", message, input: undefined });
  return z.NEVER;
});
const managedAccountSchema = z.strictObject({ apiKey: apiKeySchema, baseUrl: baseUrlSchema.optional() });

const DEFAULT_SCAN_MEMORY_MB = 1024;
export const DEFAULT_SCAN_MEMORY_BYTES = DEFAULT_SCAN_MEMORY_MB * 1024 * 1024;

/** Absolute, so that it stays the same when the process changes its working directory. */
const directorySchema = z
  .string()
  .min(1)
  .transform((directory) => (directory === ":memory:" ? directory : resolve(directory)));

const optionsSchema = z.strictObject({
  directory: directorySchema.prefault("./lorebase"),
  database: databaseSchema.optional(),
  sharedDirectory: z.boolean().default(false),
  readOnly: z.boolean().default(false),
  modelsDirectory: directorySchema.optional(),
  defaultEmbedding: z.looseObject({ provider: z.string() }).optional(),
  embedders: z.array(anyValueSchema).default([]),
  vectorStores: z.array(anyValueSchema).default([]),
  rerankers: z.array(rerankerSchema).default([]),
  languageModel: anyValueSchema.superRefine(checkLanguageModel).optional(),
  managed: z
    .strictObject({
      openai: managedAccountSchema.extend({ organization: z.string().min(1).optional() }).optional(),
      cohere: managedAccountSchema.optional(),
      zeroentropy: managedAccountSchema.optional(),
      pinecone: z.strictObject({ apiKey: apiKeySchema, indexHost: pineconeHostSchema }).optional(),
      turbopuffer: z.strictObject({ apiKey: apiKeySchema, region: turbopufferRegionSchema }).optional(),
      pgvector: z.strictObject({ url: databaseSchema }).optional(),
    })
    .default({}),
  rerankFailure: z.enum(["fail", "keep-order"]).default("fail"),
  rerankTimeoutMs: rerankTimeoutSchema.optional(),
  parsers: z.array(anyValueSchema).default([]),
  chunker: anyValueSchema.optional(),
  videoSource: anyValueSchema.optional(),
  blobs: anyValueSchema.optional(),
  worker: z
    .union([
      z.literal(false),
      z.strictObject({
        concurrency: z.int().min(1).max(64).default(2),
        documents: z.int().min(1).max(256).default(32),
      }),
    ])
    .default({ concurrency: 2, documents: 32 }),
  limits: z
    .strictObject({
      activeJobs: z.int().min(1).default(1000),
      parseTimeoutMs: z.int().min(1).default(30_000),
      parseMemoryMb: z.int().min(128).default(512),
      scanMemoryMb: z.int().min(0).default(DEFAULT_SCAN_MEMORY_MB),
      attempts: z.int().min(1).default(8),
    })
    .default({
      activeJobs: 1000,
      parseTimeoutMs: 30_000,
      parseMemoryMb: 512,
      scanMemoryMb: DEFAULT_SCAN_MEMORY_MB,
      attempts: 8,
    }),
  calls: z
    .strictObject({
      attempts: z.int().min(1).max(20).default(5),
      backoffMs: z.int().min(1).max(20_000).default(500),
      timeoutMs: z.int().min(1).max(600_000).default(60_000),
    })
    .default({ attempts: 5, backoffMs: 500, timeoutMs: 60_000 }),
  retention: z
    .strictObject({
      eventDays: z.int().min(1).max(3650).default(30),
      webhookDeliveryDays: z.int().min(1).max(3650).default(30),
      unansweredQuestionDays: z.int().min(0).max(3650).default(0),
      sampledQueryDays: z.int().min(0).max(3650).default(0),
    })
    .default({ eventDays: 30, webhookDeliveryDays: 30, unansweredQuestionDays: 0, sampledQueryDays: 0 }),
  network: networkSchema,
  masterKey: z
    .preprocess((given) => (Array.isArray(given) ? given : [given]), z.array(masterKeySchema).min(1))
    .optional(),
  publicUrl: z
    .url({ protocol: /^https?$/, error: "must be an http or https URL" })
    .refine((value) => !/[?#]/.test(value), "must have neither a query nor a fragment")
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  metrics: z.boolean().default(false),
  clock: z.custom<() => Date>((value) => typeof value === "function").default(() => () => new Date()),
});

/** Also checks that hosted rerankers have a key: otherwise only the first search would fail. */
const hostedRerankersSchema = optionsSchema.superRefine(({ rerankers, managed }, context) => {
  for (const [index, given] of (rerankers as readonly unknown[]).entries()) {
    const vendor = typeof given === "string" ? hostedVendorOf(given) : null;
    if (!vendor || managed[vendor]) continue;
    const message = `${JSON.stringify(given)} needs the option managed.${vendor}: { apiKey }`;
    context.addIssue({ code: "custom", path: ["rerankers", index], message, input: undefined });
  }
});

/** Also checks that what a directory would hold is given if several machines may share the database. */
const checkedOptionsSchema = hostedRerankersSchema.superRefine(checkSharedDatabase).superRefine(checkReadOnly);

function checkReadOnly(options: z.output<typeof optionsSchema>, context: z.core.$RefinementCtx): void {
  if (!options.readOnly) return;
  const refuse = (message: string) =>
    context.addIssue({ code: "custom", path: ["readOnly"], message, input: undefined });
  if (options.database !== undefined)
    refuse("is for directories: with `database`, use a role that may only SELECT, or open it for writing");
  if (options.directory === ":memory:") refuse('needs an existing directory, not ":memory:"');
}

function checkSharedDatabase(
  options: Pick<z.output<typeof optionsSchema>, "database" | "masterKey" | "blobs" | "sharedDirectory">,
  context: z.core.$RefinementCtx,
): void {
  if (options.database === undefined) return;
  const require = (path: string, message: string) =>
    context.addIssue({ code: "custom", path: [path], message, input: undefined });
  if (options.masterKey === undefined)
    require("masterKey", "is required with `database`: a key in the directory of one process can't be read by others");
  if (options.blobs === undefined && !options.sharedDirectory) {
    const reason = "files in the directory of one process can't be read by others";
    require("blobs", `is required with \`database\`, or \`sharedDirectory: true\`: ${reason}`);
  }
}

/** Where a knowledge base is stored: the options of the same names. */
export type KnowledgeBaseLocation = Pick<
  KnowledgeBaseOptions,
  "directory" | "database" | "sharedDirectory" | "blobs" | "masterKey"
>;

/** The two knowledge bases of a migration. */
export interface Migration {
  /** What to copy. It isn't changed. */
  readonly from: KnowledgeBaseLocation;
  /** Where to copy it: an empty database, or a directory without a knowledge base. */
  readonly to: KnowledgeBaseLocation;
}

export type ResolvedLocation = Omit<
  z.output<typeof optionsSchema>,
  Exclude<keyof KnowledgeBaseOptions, keyof KnowledgeBaseLocation>
> & { readonly blobs: BlobStore | undefined };

const locationSchema = optionsSchema
  .pick({ directory: true, database: true, sharedDirectory: true, blobs: true, masterKey: true })
  .superRefine((location, context) => {
    checkSharedDatabase(location, context);
    if (location.directory !== ":memory:") return;
    context.addIssue({ code: "custom", path: ["directory"], message: "must not be temporary", input: undefined });
  });
const migrationSchema = z.strictObject({ from: locationSchema, to: locationSchema });

/** @throws KnowledgeBaseError `invalid_input` that names the option, its value and the rule */
export function resolveMigration(migration: Migration): {
  readonly from: ResolvedLocation;
  readonly to: ResolvedLocation;
} {
  return parseInput(migrationSchema, migration) as unknown as ReturnType<typeof resolveMigration>;
}

/** Options with every default filled in. */
export type ResolvedOptions = Omit<z.output<typeof optionsSchema>, DriverOption> & {
  readonly [Name in DriverOption]:
    | Exclude<KnowledgeBaseOptions[Name], undefined>
    | (Name extends "chunker" | "blobs" | "videoSource" | "languageModel" ? undefined : never);
};
type DriverOption =
  | "embedders"
  | "vectorStores"
  | "rerankers"
  | "languageModel"
  | "parsers"
  | "chunker"
  | "blobs"
  | "videoSource";

/** @throws KnowledgeBaseError `invalid_input` that names the option, its value and the rule */
export function resolveOptions(options: KnowledgeBaseOptions): ResolvedOptions {
  // Drivers are the caller's objects, which are checked on first use.
  return parseInput(checkedOptionsSchema, options) as unknown as ResolvedOptions;
}
