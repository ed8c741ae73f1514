import type { Engine, EngineOpener } from "../engine/engine.js";
import { embedderOf, vectorLocationOf } from "../engine/namespace-drivers.js";
import { KnowledgeBaseError } from "../errors.js";
import { indexedVectors } from "../providers/vectors.js";
import { type ConfigField, sealConfig, sealedField } from "../secrets/config-secrets.js";
import { fetchPage, iteratePages } from "../storage/pagination.js";
import { notFound } from "../storage/records/not-found.js";
import type { AbandonedSet } from "../storage/records/unused-vectors.js";
import type { CallOptions, JsonValue, ListPage, Namespace } from "../types.js";
import { listSchema } from "../validation/list-schema.js";
import {
  createNamespaceOptionsSchema,
  createNamespaceSchema,
  deleteNamespaceSchema,
  namespaceSecretsSchema,
  updateNamespaceSchema,
} from "../validation/namespace-schema.js";
import type { UnknownKeys } from "../validation/normalize-keys.js";
import { parseInput } from "../validation/parse-input.js";
import { parseTenantId } from "../validation/tenant-id.js";
import { warnOfAbandonedStore } from "./abandoned-store.js";
import { prepareNamespace } from "./prepare-namespace.js";
import { requireSameConfigs } from "./same-configs.js";

/** A namespace to create. */
export interface CreateNamespaceInput {
  /** 1 to 64 characters. */
  readonly name: string;
  /** 2 to 48 letters, digits, `-` and `_`; unique in the organization, ignoring case. */
  readonly slug: string;
  /**
   * The embedding model. `reembedding` of a namespace changes it later. Keys may be in snake case, as in
   * `vectorStoreConfig`.
   * @default {@link KnowledgeBaseOptions.defaultEmbedding}
   */
  readonly embeddingConfig?: { readonly provider: string; readonly [key: string]: unknown } | undefined;
  /** The vector store. `reembedding` of a namespace changes it later. @default { provider: "MANAGED_SQLITE_VEC" } */
  readonly vectorStoreConfig?: { readonly provider: string; readonly [key: string]: unknown } | undefined;
}

export interface CreateNamespaceOptions extends CallOptions {
  /** Whether to refuse or ignore unknown keys in the two configurations. @default "refuse" */
  readonly unknownKeys?: UnknownKeys | undefined;
}

/** How a namespace is deleted. */
export interface DeleteNamespaceOptions extends CallOptions {
  /**
   * Whether to leave in its vector stores what they have of the namespace, such as if a service is gone for good: the removal
   * would wait for it without limit. Then a namespace that is deleted already is found by its id. A warning says what is
   * left. Can't be undone.
   * @default false
   */
  readonly abandonStore?: boolean | undefined;
}

/** Options for listing one page of items. */
export interface ListOptions extends CallOptions {
  /** The order by creation time. @default "desc" */
  readonly order?: "asc" | "desc" | undefined;
  readonly orderBy?: "createdAt" | undefined;
  /** The `nextCursor` or `prevCursor` of another page. */
  readonly cursor?: string | undefined;
  /** @default "forward" */
  readonly cursorDirection?: "forward" | "backward" | undefined;
  /**
   * A page number instead of a cursor, 1 to 10000. Pages shift if items are added or removed between two calls.
   * @default 1 without a cursor
   */
  readonly page?: number | undefined;
  /** 1 to 100. @default 30 */
  readonly perPage?: number | undefined;
}

/** Options for iterating over all items. */
export type IterateOptions<Options extends ListOptions> = Omit<Options, "cursor" | "cursorDirection" | "page">;

/** New keys of providers, by their names in a namespace's configurations. */
export interface NamespaceSecrets extends ConfigSecrets {
  /**
   * Those of the model and the store that searches don't use yet, or no longer: the configurations of a `Reembedding`.
   */
  readonly reembedding?: ConfigSecrets | undefined;
}

/** New keys of the providers of one model and its vector store. */
interface ConfigSecrets {
  readonly embeddingConfig?: { readonly [name: string]: JsonValue } | undefined;
  readonly vectorStoreConfig?: { readonly [name: string]: JsonValue } | undefined;
}

type VectorSetConfigs = Pick<Namespace, "vectorSet" | "embeddingConfig" | "vectorStoreConfig">;

/** The namespaces of one organization. A `ref` is the id or the slug of a namespace. */
export class Namespaces {
  readonly #open: EngineOpener;
  readonly #organizationId: string;

  /** @internal */
  constructor(open: EngineOpener, organizationId: string) {
    this.#open = open;
    this.#organizationId = organizationId;
  }

  /**
   * Creates a namespace. Without an `embeddingConfig` it gets local transformer embeddings, or `MANAGED_STATIC` if the
   * package or the model's weights are missing: the returned config shows which, and a `warning` event says why. A
   * hosted embedder is tested with one call. If the vendor rejects the call, this method fails; if the vendor can't be
   * reached, a `warning` event is emitted.
   *
   * @throws KnowledgeBaseError `conflict` if the slug is taken, `invalid_input`, `unsupported`, and the errors of
   * loading the named embedder
   */
  async create(input: CreateNamespaceInput, options: CreateNamespaceOptions = {}): Promise<Namespace> {
    const prepared = await this.#prepareNamespace(input, options);
    const { storage } = await this.#open();
    return storage.namespaces.create(prepared);
  }

  async #prepareNamespace(input: CreateNamespaceInput, options: CreateNamespaceOptions) {
    const { signal, ...rest } = options;
    const { unknownKeys } = parseInput(createNamespaceOptionsSchema, rest);
    const given = parseInput(createNamespaceSchema, input);
    const engine = await this.#open(signal);
    return prepareNamespace(engine, this.#organizationId, given, { unknownKeys, signal });
  }

  /**
   * Gets the namespace with this slug, or creates it like {@link create}. Several processes may call this at once. An
   * existing namespace is not changed: `name` is only used for a new one. A given configuration, with defaults filled
   * in, must equal the stored configuration; an omitted configuration is not compared.
   *
   * @throws KnowledgeBaseError `conflict`, which names each field that differs with its stored and given values (unless
   * they are secrets), and the errors of `create`
   * @example
   * const { id } = await kb.namespaces.ensure({ name: "Handbook", slug: "handbook" });
   */
  async ensure(input: CreateNamespaceInput, options: CreateNamespaceOptions = {}): Promise<Namespace> {
    const { signal, ...rest } = options;
    const { unknownKeys } = parseInput(createNamespaceOptionsSchema, rest);
    const { slug, embeddingConfig, vectorStoreConfig } = parseInput(createNamespaceSchema, input);
    const engine = await this.#open(signal);
    const namespace = await this.#find(engine, slug).catch((error) => {
      if (KnowledgeBaseError.is(error, "not_found")) return this.#ensureCreated(input, options);
      throw error;
    });
    await requireSameConfigs(engine, namespace, { embeddingConfig, vectorStoreConfig }, unknownKeys);
    return namespace;
  }

  /** Creates a namespace, or returns the namespace that another caller has created in the meantime. */
  async #ensureCreated(input: CreateNamespaceInput, options: CreateNamespaceOptions): Promise<Namespace> {
    const prepared = await this.#prepareNamespace(input, options);
    const { storage } = await this.#open();
    return storage.namespaces.ensure(prepared);
  }

  /** @throws KnowledgeBaseError `not_found` */
  async get(ref: string, options: CallOptions = {}): Promise<Namespace> {
    const engine = await this.#open(options.signal);
    return this.#find(engine, ref);
  }

  async list(options: ListOptions = {}): Promise<ListPage<Namespace>> {
    const { signal, ...input } = options;
    const request = parseInput(listSchema, input);
    const engine = await this.#open(signal);
    const organizationId = this.#organizationId;
    return fetchPage(
      "namespaces",
      request,
      (range) => engine.storage.namespaces.list({ organizationId, range }),
      ({ namespace }) => namespace,
    );
  }

  /** Iterates over all namespaces, fetching one page at a time. */
  iterate(options: IterateOptions<ListOptions> = {}): AsyncIterable<Namespace> {
    return iteratePages((cursor) => this.list({ ...options, cursor }));
  }

  /**
   * Changes the name or slug. Writes nothing if both are unchanged.
   * @throws KnowledgeBaseError `not_found`, `conflict`
   */
  async update(
    ref: string,
    patch: { readonly name?: string | undefined; readonly slug?: string | undefined },
    options: CallOptions = {},
  ): Promise<Namespace> {
    const changes = parseInput(updateNamespaceSchema, patch);
    const engine = await this.#open(options.signal);
    const namespace = await this.#find(engine, ref);
    const name = changes.name ?? namespace.name;
    const slug = changes.slug ?? namespace.slug;
    if (name === namespace.name && slug === namespace.slug) return namespace;
    const { organizationId, id: namespaceId } = namespace;
    await engine.storage.namespaces.update({ organizationId, namespaceId, ...changes });
    return { ...namespace, name, slug };
  }

  /**
   * Replaces keys of providers in a namespace's configurations, such as `apiKey`: when a key was changed at the vendor,
   * or can't be decrypted because the knowledge base was restored or imported without its master key. The new keys are
   * not tested. If a re-embedding has stopped because of its key, `reembedding.resume` lets it go on; a discard goes on
   * at once.
   *
   * @throws KnowledgeBaseError `not_found`, also for a model of a re-embedding without one, `invalid_input` for a field that is no secret of the stored configuration
   * @example
   * await kb.namespaces.setSecrets("handbook", { embeddingConfig: { apiKey: "sk-new" } });
   */
  async setSecrets(ref: string, input: NamespaceSecrets, options: CallOptions = {}): Promise<Namespace> {
    const given = parseInput(namespaceSecretsSchema, input);
    const engine = await this.#open(options.signal);
    const { drivers, secrets, storage } = engine;
    const namespace = await this.#find(engine, ref);
    const { id } = namespace;
    const owner = { organizationId: this.#organizationId, namespaceId: id, ownerId: id };
    const seal = <Config extends { readonly provider: string }>(
      configField: ConfigField,
      stored: Config,
      set: { readonly vectorSet: number; readonly values: ConfigSecrets; readonly path: string },
    ) => {
      const names =
        configField === "embeddingConfig" ? drivers.embeddingSecrets(stored) : drivers.vectorStoreSecrets(stored);
      const values = set.values[configField] ?? {};
      const field = `${set.path}${configField}`;
      const issues = Object.keys(values)
        .filter((name) => !names.includes(name) || !(name in stored))
        .map((name) => ({ field: `${field}.${name}`, message: "is not a secret of the stored configuration" }));
      if (issues.length > 0)
        throw new KnowledgeBaseError("invalid_input", `${issues[0]!.field} ${issues[0]!.message}`, { issues });
      const { masked, sealed } = sealConfig(values, names, {
        ...{ secrets, owner, field: sealedField(configField, set.vectorSet) },
      });
      return { config: { ...stored, ...masked }, sealed };
    };
    const sealSet = (set: VectorSetConfigs, values: ConfigSecrets, path: string) => {
      const { vectorSet } = set;
      const embedding = seal("embeddingConfig", set.embeddingConfig, { vectorSet, values, path });
      const vectorStore = seal("vectorStoreConfig", set.vectorStoreConfig, { vectorSet, values, path });
      return {
        configs: { vectorSet, embeddingConfig: embedding.config, vectorStoreConfig: vectorStore.config },
        sealed: [...embedding.sealed, ...vectorStore.sealed],
      };
    };
    const { reembedding, ...ofUsed } = given;
    const used = sealSet(namespace, ofUsed, "");
    let unused: ReturnType<typeof sealSet> | null = null;
    if (reembedding) {
      // One that is being discarded too: emptying its store needs a key that the service accepts.
      const other = await storage.reembeddings.get({ namespaceId: id });
      if (!other) throw notFound("reembedding", id);
      unused = sealSet(other, reembedding, "reembedding.");
    }
    const replaced = await storage.namespaces.replaceSecrets({
      namespaceId: id,
      ...used.configs,
      reembedding: unused?.configs ?? null,
      sealed: [...used.sealed, ...(unused?.sealed ?? [])].map((value) => {
        return { ...value, namespaceId: id, ownerId: id };
      }),
      now: engine.now(),
    });
    engine.events.emitWorkAdded();
    return replaced;
  }

  /**
   * Deletes a namespace. Once this returns, reads and searches no longer find it, and its slug is free. The worker
   * removes its content later.
   * @throws KnowledgeBaseError `invalid_input`, `not_found`
   */
  async delete(ref: string, options: DeleteNamespaceOptions = {}): Promise<Namespace> {
    const { signal, ...input } = options;
    const { abandonStore } = parseInput(deleteNamespaceSchema, input);
    const engine = await this.#open(signal);
    const { namespaces } = engine.storage;
    const organizationId = this.#organizationId;
    const namespace = await namespaces.resolve({ organizationId, ref, withDeleted: abandonStore });
    const { id: namespaceId } = namespace;
    const sets = abandonStore ? await namespaces.listVectorSets({ namespaceId, withDiscarded: true }) : [];
    const abandoned: AbandonedSet[] = [];
    for (const set of sets) {
      if (set.vectorStoreConfig.provider === indexedVectors.provider) continue;
      const vectors = await namespaces.countStoredVectors({ namespaceId, vectorSet: set.vectorSet });
      abandoned.push({ ...set, vectors });
    }
    await namespaces.delete({ namespaceId, organizationId, abandonsStores: abandonStore, now: engine.now() });
    for (const set of abandoned) warnOfAbandonedStore(engine, namespaceId, set);
    engine.events.emitWorkAdded();
    return namespace;
  }

  /**
   * Deletes everything that one tenant has in a namespace. Once this returns, the content is hidden; the
   * worker removes it later.
   * @throws KnowledgeBaseError `invalid_input` for the tenant id, `not_found` for the namespace
   */
  async deleteTenant(ref: string, tenantId: string, options: CallOptions = {}): Promise<void> {
    const tenant = parseTenantId(tenantId);
    const engine = await this.#open(options.signal);
    const namespace = await this.#find(engine, ref);
    await engine.storage.namespaces.deleteTenant({
      namespaceId: namespace.id,
      tenantId: tenant,
      organizationId: this.#organizationId,
      capacity: engine.options.limits.activeJobs,
      now: engine.now(),
    });
    engine.events.emitWorkAdded();
  }

  /**
   * Loads the namespace's embedding model and the indexes of its default partition, so that the first search doesn't
   * have to.
   */
  async warmUp(ref: string, options: CallOptions = {}): Promise<void> {
    const engine = await this.#open(options.signal);
    const namespace = await this.#find(engine, ref);
    const scope = { organizationId: this.#organizationId, namespaceId: namespace.id, tenantId: null };
    const [embedder, vectors] = await Promise.all([
      embedderOf(engine, scope, namespace),
      vectorLocationOf(engine, scope, namespace),
    ]);
    await engine.storage.index.warmUp(scope, vectors.kind === "index" ? embedder.dimensions : null, options);
  }

  async #find(engine: Engine, ref: string): Promise<Namespace> {
    return engine.storage.namespaces.resolve({ organizationId: this.#organizationId, ref });
  }
}
