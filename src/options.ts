import { messageOf } from "./errors.js";
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
import { apiKeyField, baseUrlField } from "./net/account-fields.js";
import { isHost } from "./net/private-hosts.js";
import { hostedVendorOf } from "./providers/reranker-names.js";
import { parseMasterKey } from "./secrets/master-key.js";
import { preview } from "./util/preview.js";
import { parseInput, rerankTimeout } from "./validation/schemas.js";
import { type PineconeAccount, pineconeHost } from "./vector-stores/pinecone/provider.js";
import { type TurbopufferAccount, turbopufferRegion } from "./vector-stores/turbopuffer/provider.js";
import { z } from "./vendor/zod.js";

export interface KnowledgeBaseOptions {
  /** Where everything is kept: `lorebase.db`, `blobs/`, `models/`. `":memory:"` is a temporary one. @default "./lorebase" */
  readonly directory?: string | undefined;
  /** Where model files are kept and looked for. @default `models` in the directory */
  readonly modelsDirectory?: string | undefined;
  /** The embedding of namespaces that name none. @default local transformer embeddings, else static ones */
  readonly defaultEmbedding?: { readonly provider: string; readonly [key: string]: unknown } | undefined;
  /** Embedders of your own, by the provider name that a namespace gives. */
  readonly embedders?: readonly AnyProvider<Embedder>[] | undefined;
  /** Vector stores of your own, by the provider name that a namespace gives. */
  readonly vectorStores?: readonly AnyProvider<VectorStore>[] | undefined;
  /**
   * Rerankers that a search can name; the first is the default one. `transformers:<model>` is a cross-encoder that runs here, with files
   * of the hub's `onnx` layout, and `transformers` the one named Xenova/ms-marco-MiniLM-L-6-v2. `cohere:<model>` and `zeroentropy:<model>`
   * are hosted, under the key in `managed`; the vendor alone is its best model. A reranking model of the AI SDK is named
   * `vendor:model` as well, from its own `provider` and `modelId`.
   */
  readonly rerankers?: readonly (Reranker | AiSdkRerankingModel | string)[] | undefined;
  /**
   * What documents whose `config` has `useLlm` are refined by: it describes pictures and repairs tables. It has to see pictures.
   * @default none, and `useLlm` becomes a warning
   */
  readonly languageModel?: LanguageModel | AiSdkLanguageModel | undefined;
  /** Keys of hosted services that are yours and not the namespaces' own. They stay in memory. */
  readonly managed?: ManagedOptions | undefined;
  /** What a search does when its reranker fails. @default "fail" */
  readonly rerankFailure?: "fail" | "keep-order" | undefined;
  /** The longest that a search's reranking may take, in milliseconds, 1 to 600000, where it names no time of its own. @default no end */
  readonly rerankTimeoutMs?: number | undefined;
  /** Parsers of your own, asked before the built-in ones. What they claim is parsed on the caller's thread, without limits of time and memory. */
  readonly parsers?: readonly Parser[] | undefined;
  /** A chunker of your own. It runs on the caller's thread, and with it all parsing, without limits of time and memory. */
  readonly chunker?: Chunker | undefined;
  /** Where the videos of YOUTUBE payloads come from. @default what the site's own pages hold */
  readonly videoSource?: VideoSource | undefined;
  /** Where files are kept. @default `blobs` in the directory */
  readonly blobStore?: BlobStore | undefined;
  /** False leaves queued work to other processes and to `drain()`. @default one worker in this process */
  readonly worker?: false | WorkerOptions | undefined;
  readonly limits?: LimitOptions | undefined;
  /** How calls of hosted models and vector stores are repeated and ended. */
  readonly calls?: HostedCallLimits | undefined;
  readonly network?: NetworkOptions | undefined;
  /**
   * The key under which secrets are stored and URLs are signed: 32 bytes, as such or as hex or base64. Of several the first is used, and
   * the others still open and verify what they sealed and signed; `rotateKeys` seals everything under the first. A `secret.key` in the
   * directory counts as the last of them. @default `secret.key` in the directory, made once and readable by its owner only
   */
  readonly masterKey?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /**
   * The address under which signed URLs are served: `https://kb.example.com`, or with a path, `https://example.com/kb`, which then
   * stands before `/v1/…`. Without it, signed URLs are paths that begin with `/v1/`.
   */
  readonly publicUrl?: string | undefined;
  /** The time, for tests. @default the system's */
  readonly clock?: (() => Date) | undefined;
}

export interface ManagedOptions {
  /** For namespaces whose embedding is `MANAGED_OPENAI`. */
  readonly openai?: ManagedOpenAi | undefined;
  /** A search may then name every reranker of Cohere's that the interface has, such as `cohere:rerank-v4.0-pro`. */
  readonly cohere?: ManagedAccount | undefined;
  /** A search may then name every reranker of ZeroEntropy's that the interface has, such as `zeroentropy:zerank-2`. */
  readonly zeroentropy?: ManagedAccount | undefined;
  /** What `MANAGED_PINECONE` stands for: an index with the dimensions of the embedder. */
  readonly pinecone?: PineconeAccount | undefined;
  /** What `MANAGED_TURBOPUFFER` stands for. */
  readonly turbopuffer?: TurbopufferAccount | undefined;
}

export interface ManagedAccount {
  readonly apiKey: string;
  /** Where calls go instead of to the vendor's own address, as for a proxy. */
  readonly baseUrl?: string | undefined;
}

export interface ManagedOpenAi extends ManagedAccount {
  /** The organization that is billed. @default the key's own */
  readonly organization?: string | undefined;
}

export interface WorkerOptions {
  /** Jobs that work at a time; those that wait for the network besides are bounded apart. @default 2 */
  readonly concurrency?: number | undefined;
  /** Documents of a job at a time. @default 32 */
  readonly documents?: number | undefined;
}

export interface HostedCallLimits {
  /** Most attempts of one call, 1 to 20. What fails then goes back to the queue, or fails the search. @default 5 */
  readonly attempts?: number | undefined;
  /**
   * The longest wait before the second attempt, in milliseconds, 1 to 20000; it doubles with each, and the wait itself is chance. What a
   * service asks to wait comes on top, up to 30 seconds; a longer wait is left to the queue. @default 500
   */
  readonly backoffMs?: number | undefined;
  /** The longest that one attempt may take where its driver names no time, in milliseconds, 1 to 600000. @default 60000 */
  readonly timeoutMs?: number | undefined;
}

export interface LimitOptions {
  /** Jobs of one organization that wait or run; more stay in the backlog. @default 1000 */
  readonly activeJobs?: number | undefined;
  /**
   * A document that takes longer to parse and chunk fails, in milliseconds. It starts again with every page whose text is recognised or whose
   * pictures are drawn; all of it takes four times as long at most. @default 30000
   */
  readonly parseTimeoutMs?: number | undefined;
  /**
   * What parsing one document may take, in megabytes: four fifths of it in the process that parses it, the rest where its chunks are taken.
   * Twice as much is allowed where text is recognised or pictures are drawn for a language model. A document that needs more fails.
   * @default 512
   */
  readonly parseMemoryMb?: number | undefined;
  /**
   * Memory for the indexes by which vectors are scanned, in megabytes: a scope takes its dimensions + 40 bytes or so for each chunk, and a
   * large one half as much again where there is room. What doesn't fit, and everything at 0, is compared by SQL, with the same results.
   * @default 1024
   */
  readonly scanMemoryMb?: number | undefined;
  /** Claims of a job without any progress before it fails; a file that cannot be fetched has as many tries, at most four. @default 8 */
  readonly attempts?: number | undefined;
}

export interface NetworkOptions {
  /**
   * Hosts that may be called though they are not public, as in `["localhost:11434", "models.internal"]`: by the name that an address has,
   * at one port or, where none is named, at all. Everything else is called only where it is a public address: those of vendors too, since
   * namespaces name them. @default none
   */
  readonly allowPrivateHosts?: readonly string[] | undefined;
}

/** Never shown, whatever is wrong with it. */
const masterKey = z.unknown().transform((given, context) => {
  const key = parseMasterKey(given);
  if (key) return key;
  context.addIssue({ code: "custom", message: "must be 32 bytes, as such or as hex or base64", input: undefined });
  return z.NEVER;
});

const anything = z.custom<never>((value) => value !== undefined);
/** The model's name is the vendor's to check. */
const RERANKER_NAME = /^(?:transformers|cohere|zeroentropy|vendor_a|vendor_b)(?::.+)?$/;
const reranker = anything.superRefine((value: unknown, context) => {
  if (typeof value !== "string" || RERANKER_NAME.test(value)) return;
  const message = `must be a reranker, a reranking model of the AI SDK, or a name as in transformers:Xenova/ms-marco-MiniLM-L-6-v2, cohere:rerank-v4.0-pro and zeroentropy:zerank-2, not ${preview(value)}`;
  context.addIssue({ code: "custom", message, input: undefined });
});

function checkLanguageModel(value: unknown, context: z.core.$RefinementCtx): void {
  try {
    toLanguageModel(value);
  } catch (error) {
    context.addIssue({ code: "custom", message: messageOf(error), input: undefined });
  }
}

const apiKey = apiKeyField;
const managedAccount = z.strictObject({ apiKey, baseUrl: baseUrlField.optional() });

const optionsSchema = z.strictObject({
  directory: z.string().min(1).default("./lorebase"),
  modelsDirectory: z.string().min(1).optional(),
  defaultEmbedding: z.looseObject({ provider: z.string() }).optional(),
  embedders: z.array(anything).default([]),
  vectorStores: z.array(anything).default([]),
  rerankers: z.array(reranker).default([]),
  languageModel: anything.superRefine(checkLanguageModel).optional(),
  managed: z
    .strictObject({
      openai: managedAccount.extend({ organization: z.string().min(1).optional() }).optional(),
      cohere: managedAccount.optional(),
      zeroentropy: managedAccount.optional(),
      pinecone: z.strictObject({ apiKey, indexHost: pineconeHost }).optional(),
      turbopuffer: z.strictObject({ apiKey, region: turbopufferRegion }).optional(),
    })
    .default({}),
  rerankFailure: z.enum(["fail", "keep-order"]).default("fail"),
  rerankTimeoutMs: rerankTimeout.optional(),
  parsers: z.array(anything).default([]),
  chunker: anything.optional(),
  videoSource: anything.optional(),
  blobStore: anything.optional(),
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
      scanMemoryMb: z.int().min(0).default(1024),
      attempts: z.int().min(1).default(8),
    })
    .default({ activeJobs: 1000, parseTimeoutMs: 30_000, parseMemoryMb: 512, scanMemoryMb: 1024, attempts: 8 }),
  calls: z
    .strictObject({
      attempts: z.int().min(1).max(20).default(5),
      backoffMs: z.int().min(1).max(20_000).default(500),
      timeoutMs: z.int().min(1).max(600_000).default(60_000),
    })
    .default({ attempts: 5, backoffMs: 500, timeoutMs: 60_000 }),
  network: z
    .strictObject({
      allowPrivateHosts: z
        .array(z.string().refine(isHost, 'must be a host, as in "localhost" or "10.0.0.7:8080"'))
        .default([]),
    })
    .default({ allowPrivateHosts: [] }),
  masterKey: z.preprocess((given) => (Array.isArray(given) ? given : [given]), z.array(masterKey).min(1)).optional(),
  publicUrl: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .refine((value) => !/[?#]/.test(value), "must have neither a query nor a fragment")
    .transform((url) => url.replace(/\/+$/, ""))
    .optional(),
  clock: z.custom<() => Date>((value) => typeof value === "function").default(() => () => new Date()),
});

/** Hosted rerankers need a key: it is missed here rather than by the first search. */
const checkedOptions = optionsSchema.superRefine(({ rerankers, managed }, context) => {
  for (const [index, given] of (rerankers as readonly unknown[]).entries()) {
    const vendor = typeof given === "string" ? hostedVendorOf(given) : null;
    if (!vendor || managed[vendor]) continue;
    const message = `${JSON.stringify(given)} needs the option managed.${vendor}: { apiKey }`;
    context.addIssue({ code: "custom", path: ["rerankers", index], message, input: undefined });
  }
});

/** Options with every default filled in. */
export type ResolvedOptions = Omit<z.output<typeof optionsSchema>, DriverOption> & {
  readonly [Name in DriverOption]:
    | Exclude<KnowledgeBaseOptions[Name], undefined>
    | (Name extends "chunker" | "blobStore" | "videoSource" | "languageModel" ? undefined : never);
};
type DriverOption =
  | "embedders"
  | "vectorStores"
  | "rerankers"
  | "languageModel"
  | "parsers"
  | "chunker"
  | "blobStore"
  | "videoSource";

/** @throws KnowledgeBaseError `invalid_input` that names the option, its value and the rule. */
export function resolveOptions(options: KnowledgeBaseOptions): ResolvedOptions {
  // The drivers are the caller's own objects: what they can do is checked when they are used.
  return parseInput(checkedOptions, options) as unknown as ResolvedOptions;
}
