import { createHmac, randomBytes } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";
import type { EventBus } from "../events/event-bus.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { AnyProvider, ProviderContext } from "../interfaces/provider.js";
import type { Reranker } from "../interfaces/reranker.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import { type GuardedFetch, guardedFetch } from "../net/guarded-fetch.js";
import { isUnusableHostError } from "../net/not-public-error.js";
import { redactor } from "../net/redactor.js";
import type { CallGuard } from "../resilience/call-guard.js";
import { guardEmbedder, guardReranker, guardVectorStore } from "../resilience/guarded-drivers.js";
import { type ConfigField, refuseMasks } from "../secrets/config-secrets.js";
import { createDriverErrorRedactor, secretStrings } from "../secrets/driver-error-redactor.js";
import type { EmbeddingConfig, VectorStoreConfig } from "../types.js";
import { suggestName } from "../validation/did-you-mean.js";
import { normalizeKeys, type UnknownKeys } from "../validation/normalize-keys.js";
import { parseInput } from "../validation/parse-input.js";
import { batchingReranker } from "./batching-reranker.js";
import { lazyReranker } from "./lazy-reranker.js";
import { probeEmbedder } from "./probe-embedder.js";
import { indexedVectors, type VectorLocation } from "./vectors.js";

/** Providers that only some knowledge bases have, with what they need. */
const CONDITIONAL_PROVIDERS: ReadonlyMap<string, string> = new Map([
  ["MANAGED_PGVECTOR", "needs a PostgreSQL database: the option database, or managed.pgvector: { url }"],
]);

/** Limits of calls to hosted models and stores: some calls take minutes, and a thousand vectors are large as JSON. */
const SERVICE_LIMITS = {
  headersMs: 300_000,
  idleMs: 120_000,
  totalMs: 900_000,
  maxBytes: 256 * 1024 * 1024,
  // A namespace may name any service, whose JSON is parsed in this process.
  json: { maxDepth: 200, maxContainers: 1_000_000, maxValues: 16_000_000 },
};

export interface DriverRegistryOptions {
  readonly embedders: readonly AnyProvider<Embedder>[];
  readonly vectorStores: readonly AnyProvider<VectorStore>[];
  /** Rerankers, or names that `rerankerProviders` can open. The first is the default. */
  readonly rerankers: readonly (Reranker | string)[];
  /** Names of further rerankers that a search may select, and that `rerankerProviders` can open. */
  readonly offeredRerankers: readonly string[];
  readonly rerankerProviders: readonly AnyProvider<Reranker>[];
  readonly modelsDirectory: string;
  /** Whether missing model files may be downloaded into `modelsDirectory`. */
  readonly downloadModels: boolean;
  readonly events: EventBus;
  /** Guards the calls of hosted drivers. */
  readonly guard: CallGuard;
  /** Private hosts that drivers may call. */
  readonly allowPrivateHosts: readonly string[];
}

/**
 * Opens drivers from their configurations. A driver is opened once and shared; after a failure, the next use retries.
 */
export class DriverRegistry {
  /** All rerankers that a search can select. */
  readonly rerankers: readonly Reranker[];
  readonly defaultReranker: Reranker | null;
  readonly #options: DriverRegistryOptions;
  /** Rerankers that the registry opened and must close. */
  readonly #openedRerankers: readonly Reranker[];
  readonly #drivers = new Map<string, Promise<OpenedDriver<Embedder | VectorStore>>>();
  readonly #fetch: GuardedFetch;
  /** Cache keys are salted digests: a configuration holds API keys, which only its driver may keep. */
  readonly #salt = randomBytes(32);
  /** Cache keys by configuration object, since searches look up the same objects again and again. */
  readonly #cacheKeys = {
    embeddingConfig: new WeakMap<object, string>(),
    vectorStoreConfig: new WeakMap<object, string>(),
  };

  constructor(options: DriverRegistryOptions) {
    this.#options = options;
    const { allowPrivateHosts, guard } = options;
    this.#fetch = guardedFetch({ allowPrivateHosts, limits: SERVICE_LIMITS, connectMs: 10_000 });
    const guardedProviders = options.rerankerProviders.map((provider) => ({
      ...provider,
      create: async (config: unknown, context: ProviderContext) =>
        guardReranker(await provider.create(config, context), guard),
    }));
    const open = (name: string) => lazyReranker(name, guardedProviders, this.#context);
    const configured = options.rerankers.map((reranker) =>
      typeof reranker === "string" ? open(reranker) : batchingReranker(guardReranker(reranker, guard)),
    );
    const offered = options.offeredRerankers
      .filter((name) => !configured.some(({ model }) => model === name))
      .map(open);
    this.defaultReranker = configured[0] ?? null;
    this.rerankers = [...configured, ...offered];
    this.#openedRerankers = [
      ...configured.filter((_, index) => typeof options.rerankers[index] === "string"),
      ...offered,
    ];
  }

  /** The providers of vectors. The caller's come first, so that they may replace the default. */
  get #vectorProviders(): readonly Configurable[] {
    return [...this.#options.vectorStores, indexedVectors];
  }

  /** Checks an embedding configuration and fills in its defaults. */
  checkEmbedding(config: { readonly provider: string }, unknownKeys: UnknownKeys = "refuse"): EmbeddingConfig {
    return checkConfig(config, this.#options.embedders, "embeddingConfig", unknownKeys);
  }

  checkVectorStore(config: { readonly provider: string }, unknownKeys: UnknownKeys = "refuse"): VectorStoreConfig {
    return checkConfig(config, this.#vectorProviders, "vectorStoreConfig", unknownKeys);
  }

  /** Returns the embedder of a checked configuration, with guarded calls. The first call opens it. */
  async openEmbedder(config: EmbeddingConfig): Promise<Embedder> {
    return (await this.#openEmbedderDriver(config)).guarded;
  }

  /** Returns where the vectors of a checked configuration are; a vector store is opened by the first call. */
  async locateVectors(config: VectorStoreConfig): Promise<VectorLocation> {
    const provider = this.#vectorProviders.find(({ provider }) => provider === config.provider);
    if (provider === indexedVectors) return { kind: "index", approximate: config.approximate === true };
    const { vectorStores } = this.#options;
    return {
      kind: "store",
      store: (await this.#open(config, vectorStores, "vectorStoreConfig", guardVectorStore)).guarded,
    };
  }

  /** Runs {@link probeEmbedder}. A driver that fails the probe is not cached. */
  async probeEmbedder(config: EmbeddingConfig): Promise<EmbeddingConfig> {
    const provider = findProvider(config.provider, this.#options.embedders, "embeddingConfig");
    let probed = config;
    try {
      return await probeEmbedder(config, {
        provider,
        redact: createDriverErrorRedactor(config, provider.secrets ?? []),
        context: this.#context,
        guard: this.#options.guard,
        open: async (completed) => {
          probed = completed;
          return (await this.#openEmbedderDriver(completed)).driver;
        },
      });
    } catch (error) {
      this.#drivers.delete(this.#cacheKey(probed, "embeddingConfig"));
      throw error;
    }
  }

  /** Drops a store from the cache, for a namespace that could not be created. */
  forgetVectorStore(config: VectorStoreConfig): void {
    this.#drivers.delete(this.#cacheKey(config, "vectorStoreConfig"));
  }

  #openEmbedderDriver(config: EmbeddingConfig): Promise<OpenedDriver<Embedder>> {
    return this.#open(config, this.#options.embedders, "embeddingConfig", guardEmbedder);
  }

  /** Returns the names of the secret fields of an embedding configuration. */
  embeddingSecrets({ provider }: { readonly provider: string }): readonly string[] {
    return secretsOf(provider, this.#options.embedders);
  }

  vectorStoreSecrets({ provider }: { readonly provider: string }): readonly string[] {
    return secretsOf(provider, this.#options.vectorStores);
  }

  /** Returns the names of the fields of an embedding configuration that the service may fill in. */
  completedFields({ provider }: { readonly provider: string }): readonly string[] {
    return this.#options.embedders.find((embedder) => embedder.provider === provider)?.completedFields ?? [];
  }

  /** Returns the field with a vector store's host if an error says that the host is unusable, else `null`. */
  unusableHostField({ provider }: { readonly provider: string }, error: unknown): string | null {
    const configured = this.#options.vectorStores.find((store) => store.provider === provider);
    return configured?.hostField !== undefined && isUnusableHostError(error) ? configured.hostField : null;
  }

  /** Closes all drivers that the registry opened, and their connections. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#drivers.values());
    const drivers = opened.flatMap((result) => (result.status === "fulfilled" ? result.value.driver : []));
    try {
      await Promise.all([...drivers, ...this.#openedRerankers].map((driver) => driver.close?.()));
    } finally {
      await this.#fetch.close();
    }
  }

  #cacheKey(config: object, field: ConfigField): string {
    const cached = this.#cacheKeys[field].get(config);
    if (cached !== undefined) return cached;
    const key = createHmac("sha256", this.#salt)
      .update(`${field} ${JSON.stringify(config)}`)
      .digest("base64");
    this.#cacheKeys[field].set(config, key);
    return key;
  }

  get #context(): ProviderContext {
    return {
      modelsDirectory: this.#options.modelsDirectory,
      downloadModels: this.#options.downloadModels,
      fetch: this.#fetch,
      allowPrivateHosts: this.#options.allowPrivateHosts,
      onProgress: (progress) => this.#options.events.emit({ type: "model.progress", ...progress }),
    };
  }

  #open<Instance extends Embedder | VectorStore>(
    config: { readonly provider: string },
    providers: readonly AnyProvider<Instance>[],
    field: ConfigField,
    guardDriver: (driver: Instance, guard: CallGuard) => Instance,
  ): Promise<OpenedDriver<Instance>> {
    const key = this.#cacheKey(config, field);
    const cached = this.#drivers.get(key) as Promise<OpenedDriver<Instance>> | undefined;
    if (cached) return cached;
    const redact = createDriverErrorRedactor(config, secretsOf(config.provider, providers));
    const opening = Promise.resolve().then(async () => {
      const provider = providers.find((candidate) => candidate.provider === config.provider);
      if (!provider) throw missingDriverError(config.provider, field);
      const driver = redact.wrap(await redact.run(() => provider.create(provider.config.parse(config), this.#context)));
      return { driver, guarded: guardDriver(driver, this.#options.guard) };
    });
    this.#drivers.set(key, opening);
    opening.catch(() => this.#drivers.delete(key));
    return opening;
  }
}

function secretsOf<Instance>(name: string, providers: readonly AnyProvider<Instance>[]): readonly string[] {
  return providers.find(({ provider }) => provider === name)?.secrets ?? [];
}

interface OpenedDriver<Instance> {
  readonly driver: Instance;
  /** The driver with guarded calls. */
  readonly guarded: Instance;
}

/** The members of a provider that are needed to check a configuration. */
type Configurable = Pick<AnyProvider<unknown>, "provider" | "config" | "secrets">;

function checkConfig(
  config: { readonly provider: string },
  providers: readonly Configurable[],
  field: ConfigField,
  unknownKeys: UnknownKeys,
): EmbeddingConfig {
  const provider = findProvider(config.provider, providers, field);
  refuseMasks(config, field);
  const normalized = normalizeKeys(provider.config, config, unknownKeys) as { readonly provider: string };
  try {
    return parseInput(provider.config, normalized) as EmbeddingConfig;
  } catch (error) {
    if (!KnowledgeBaseError.is(error)) throw error;
    const redact = redactor(secretStrings(normalized, provider.secrets ?? []));
    const issues = error.issues.map((issue) => ({ field: `${field}.${issue.field}`, message: redact(issue.message) }));
    const message = issues.map((issue) => `${issue.field}: ${issue.message}`).join("; ");
    throw new KnowledgeBaseError("invalid_input", message, { issues });
  }
}

/** Creates a retryable error: the process that created the namespace has the driver. */
function missingDriverError(provider: string, field: string): KnowledgeBaseError {
  const message = `The namespace's ${field}.provider is ${provider}, which has no driver in this process.`;
  return new KnowledgeBaseError("not_ready", message, { retryable: true });
}

function findProvider<Provider extends Configurable>(
  name: string,
  providers: readonly Provider[],
  field: string,
): Provider {
  const found = providers.find(({ provider }) => provider === name);
  if (found) return found;
  const available = providers.map(({ provider }) => provider);
  const condition = CONDITIONAL_PROVIDERS.get(name);
  if (condition !== undefined)
    throw new KnowledgeBaseError(
      "unsupported",
      `${field}.provider: ${name} ${condition}. Available: ${available.join(", ")}`,
    );
  const suggestion = suggestName(name, available);
  const hint = suggestion ? `; did you mean ${suggestion}?` : ".";
  const message = `is ${JSON.stringify(name)}, which is not a provider${hint} Available: ${available.join(", ")}`;
  throw new KnowledgeBaseError("invalid_input", `${field}.provider ${message}`, {
    issues: [{ field: `${field}.provider`, message }],
  });
}
