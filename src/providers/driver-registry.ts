import { createHmac, randomBytes } from "node:crypto";
import { KnowledgeBaseError } from "../errors.js";
import type { EventBus } from "../events/event-bus.js";
import type { Embedder } from "../interfaces/embedder.js";
import type { AnyProvider, ProviderContext } from "../interfaces/provider.js";
import type { Reranker } from "../interfaces/reranker.js";
import type { VectorStore } from "../interfaces/vector-store.js";
import { type GuardedFetch, guardedFetch } from "../net/guarded-fetch.js";
import { redactor } from "../net/redactor.js";
import { isUnusableHost } from "../net/unusable-host.js";
import type { CallGuard } from "../resilience/call-guard.js";
import { guardEmbedder, guardReranker, guardVectorStore } from "../resilience/guarded-drivers.js";
import { type ConfigField, refuseMasks } from "../secrets/config-secrets.js";
import { hidingSecrets, secretTexts } from "../secrets/redact-driver-errors.js";
import type { EmbeddingConfig, VectorStoreConfig } from "../types.js";
import { suggestName } from "../validation/did-you-mean.js";
import { type UnknownKeys, withKnownKeys } from "../validation/normalize-keys.js";
import { parseInput } from "../validation/schemas.js";
import { batchingReranker } from "./batching-reranker.js";
import { namedReranker } from "./lazy-reranker.js";
import { tryEmbedding } from "./probe-embedder.js";

/** Names of the interface that have no driver here. */
const KNOWN_ELSEWHERE = ["MANAGED_PGVECTOR"];

/** For what a vendor's model or store is asked: it may think for minutes, and a thousand vectors as JSON are large. */
const SERVICE_LIMITS = {
  headersMs: 300_000,
  idleMs: 120_000,
  totalMs: 900_000,
  maxBytes: 256 * 1024 * 1024,
  // A namespace may name a service of its own choice: what it answers is parsed in this process.
  json: { maxDepth: 200, maxContainers: 1_000_000, maxValues: 16_000_000 },
};

export interface DriverRegistryOptions {
  readonly embedders: readonly AnyProvider<Embedder>[];
  readonly vectorStores: readonly AnyProvider<VectorStore>[];
  /** Rerankers, and names of those that `rerankerProviders` make. The first is the default one. */
  readonly rerankers: readonly (Reranker | string)[];
  /** Names of those that a search may ask for besides. */
  readonly offeredRerankers: readonly string[];
  readonly rerankerProviders: readonly AnyProvider<Reranker>[];
  readonly modelsDirectory: string;
  readonly events: EventBus;
  /** What every call of a hosted driver goes through. */
  readonly guard: CallGuard;
  /** Hosts that drivers may call though they are not public. */
  readonly allowPrivateHosts: readonly string[];
}

/** From a namespace's stored configuration to live drivers: each is made once and shared, and made again after it failed. */
export class DriverRegistry {
  /** All that a search can name. */
  readonly rerankers: readonly Reranker[];
  readonly defaultReranker: Reranker | null;
  readonly #options: DriverRegistryOptions;
  /** Those that were made here, to be closed here. */
  readonly #named: readonly Reranker[];
  readonly #live = new Map<string, Promise<Opened<Embedder | VectorStore>>>();
  readonly #fetch: GuardedFetch;
  /** Of what live drivers are known by: a configuration holds keys, which are kept nowhere but in its driver. */
  readonly #salt = randomBytes(32);
  /** The same for configurations that are asked for again, as each search of a namespace does. */
  readonly #keys = { embeddingConfig: new WeakMap<object, string>(), vectorStoreConfig: new WeakMap<object, string>() };

  constructor(options: DriverRegistryOptions) {
    this.#options = options;
    const { allowPrivateHosts, guard } = options;
    this.#fetch = guardedFetch({ allowPrivateHosts, limits: SERVICE_LIMITS, connectMs: 10_000 });
    const guarded = options.rerankerProviders.map((provider) => ({
      ...provider,
      create: async (config: unknown, context: ProviderContext) =>
        guardReranker(await provider.create(config, context), guard),
    }));
    const named = (name: string) => namedReranker(name, guarded, this.#context);
    const configured = options.rerankers.map((given) =>
      typeof given === "string" ? named(given) : batchingReranker(guardReranker(given, guard)),
    );
    const offered = options.offeredRerankers
      .filter((name) => !configured.some(({ model }) => model === name))
      .map(named);
    this.defaultReranker = configured[0] ?? null;
    this.rerankers = [...configured, ...offered];
    this.#named = [...configured.filter((_, index) => typeof options.rerankers[index] === "string"), ...offered];
  }

  /** Checks an embedding configuration and fills in its defaults. */
  checkEmbedding(config: { readonly provider: string }, unknownKeys: UnknownKeys = "refuse"): EmbeddingConfig {
    return check(config, this.#options.embedders, "embeddingConfig", unknownKeys);
  }

  checkVectorStore(config: { readonly provider: string }, unknownKeys: UnknownKeys = "refuse"): VectorStoreConfig {
    return check(config, this.#options.vectorStores, "vectorStoreConfig", unknownKeys);
  }

  async embedder(config: EmbeddingConfig): Promise<Embedder> {
    return (await this.#openEmbedder(config)).guarded;
  }

  async vectorStore(config: VectorStoreConfig): Promise<VectorStore> {
    return (await this.#open(config, this.#options.vectorStores, "vectorStoreConfig", guardVectorStore)).guarded;
  }

  /** As {@link tryEmbedding} does. A driver that fails is not kept. */
  async tryEmbedding(config: EmbeddingConfig): Promise<EmbeddingConfig> {
    const provider = findProvider(config.provider, this.#options.embedders, "embeddingConfig");
    let tried = config;
    try {
      return await tryEmbedding(config, {
        provider,
        hidden: hidingSecrets(config, provider.secrets ?? []),
        context: this.#context,
        guard: this.#options.guard,
        open: async (completed) => {
          tried = completed;
          return (await this.#openEmbedder(completed)).driver;
        },
      });
    } catch (error) {
      this.#live.delete(this.#keyOf(tried, "embeddingConfig"));
      throw error;
    }
  }

  /** Lets go of a hosted store whose namespace comes to nothing. Another namespace of the same configuration opens it again. */
  forgetVectorStore(config: VectorStoreConfig): void {
    this.#live.delete(this.#keyOf(config, "vectorStoreConfig"));
  }

  #openEmbedder(config: EmbeddingConfig): Promise<Opened<Embedder>> {
    return this.#open(config, this.#options.embedders, "embeddingConfig", guardEmbedder);
  }

  /** The names under which an embedding configuration holds secrets. */
  embeddingSecrets({ provider }: { readonly provider: string }): readonly string[] {
    return secretsOf(provider, this.#options.embedders);
  }

  vectorStoreSecrets({ provider }: { readonly provider: string }): readonly string[] {
    return secretsOf(provider, this.#options.vectorStores);
  }

  /** Fields of an embedding configuration that its service may have filled in. */
  completedFields({ provider }: { readonly provider: string }): readonly string[] {
    return this.#options.embedders.find((known) => known.provider === provider)?.completes ?? [];
  }

  /** The field that names the service's host, where a call of a vector store failed because that host cannot be used; else null. */
  unusableAddress({ provider }: { readonly provider: string }, error: unknown): string | null {
    const known = this.#options.vectorStores.find((store) => store.provider === provider);
    return known?.addressField !== undefined && isUnusableHost(error) ? known.addressField : null;
  }

  /** Closes what was opened. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#live.values());
    const drivers = opened.flatMap((result) => (result.status === "fulfilled" ? result.value.driver : []));
    try {
      await Promise.all([...drivers, ...this.#named].map((driver) => driver.close?.()));
    } finally {
      await this.#fetch.close();
    }
  }

  #keyOf(config: object, field: ConfigField): string {
    const known = this.#keys[field].get(config);
    if (known !== undefined) return known;
    const key = createHmac("sha256", this.#salt)
      .update(`${field} ${JSON.stringify(config)}`)
      .digest("base64");
    this.#keys[field].set(config, key);
    return key;
  }

  get #context(): ProviderContext {
    return {
      modelsDirectory: this.#options.modelsDirectory,
      fetch: this.#fetch,
      allowPrivateHosts: this.#options.allowPrivateHosts,
      onProgress: (progress) => this.#options.events.emit({ type: "model.progress", ...progress }),
    };
  }

  #open<Instance extends Embedder | VectorStore>(
    config: { readonly provider: string },
    providers: readonly AnyProvider<Instance>[],
    field: ConfigField,
    guarded: (driver: Instance, guard: CallGuard) => Instance,
  ): Promise<Opened<Instance>> {
    const key = this.#keyOf(config, field);
    const known = this.#live.get(key) as Promise<Opened<Instance>> | undefined;
    if (known) return known;
    const hidden = hidingSecrets(config, secretsOf(config.provider, providers));
    const opening = Promise.resolve().then(async () => {
      const provider = providers.find((known) => known.provider === config.provider);
      if (!provider) throw missingDriver(config.provider, field);
      const driver = hidden.driver(
        await hidden.call(() => provider.create(provider.config.parse(config), this.#context)),
      );
      return { driver, guarded: guarded(driver, this.#options.guard) };
    });
    this.#live.set(key, opening);
    opening.catch(() => this.#live.delete(key));
    return opening;
  }
}

function secretsOf<Instance>(name: string, providers: readonly AnyProvider<Instance>[]): readonly string[] {
  return providers.find(({ provider }) => provider === name)?.secrets ?? [];
}

interface Opened<Instance> {
  readonly driver: Instance;
  /** The same, its calls going through the guard. */
  readonly guarded: Instance;
}

function check<Instance>(
  config: { readonly provider: string },
  providers: readonly AnyProvider<Instance>[],
  field: ConfigField,
  unknownKeys: UnknownKeys,
): EmbeddingConfig {
  const provider = findProvider(config.provider, providers, field);
  refuseMasks(config, field);
  const known = withKnownKeys(provider.config, config, unknownKeys) as { readonly provider: string };
  try {
    return parseInput(provider.config, known) as EmbeddingConfig;
  } catch (error) {
    if (!KnowledgeBaseError.is(error)) throw error;
    const clean = redactor(secretTexts(known, provider.secrets ?? []));
    const issues = error.issues.map((issue) => ({ field: `${field}.${issue.field}`, message: clean(issue.message) }));
    const message = issues.map((issue) => `${issue.field}: ${issue.message}`).join("; ");
    throw new KnowledgeBaseError("invalid_input", message, { issues });
  }
}

/** The namespace was made where there was a driver: another process may have it, so work on the namespace can wait. */
function missingDriver(provider: string, field: string): KnowledgeBaseError {
  const message = `The namespace's ${field}.provider is ${provider}, for which this process was given no driver.`;
  return new KnowledgeBaseError("not_ready", message, { retryable: true });
}

function findProvider<Instance>(
  name: string,
  providers: readonly AnyProvider<Instance>[],
  field: string,
): AnyProvider<Instance> {
  const found = providers.find(({ provider }) => provider === name);
  if (found) return found;
  const available = providers.map(({ provider }) => provider);
  if (KNOWN_ELSEWHERE.includes(name)) {
    throw new KnowledgeBaseError(
      "unsupported",
      `${field}.provider: ${name} has no driver in this version; available: ${available.join(", ")}`,
    );
  }
  const near = suggestName(name, available);
  const message = `is ${JSON.stringify(name)}, which is not a provider${near ? `; did you mean ${near}?` : "."} Available: ${available.join(", ")}`;
  throw new KnowledgeBaseError("invalid_input", `${field}.provider ${message}`, {
    issues: [{ field: `${field}.provider`, message }],
  });
}
