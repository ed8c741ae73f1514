import { setTimeout as sleep } from "node:timers/promises";
import { checkVectorSet } from "../engine/check-vector-set.js";
import type { Engine } from "../engine/engine.js";
import { unsealConfig, vectorLocationOf } from "../engine/namespace-drivers.js";
import type { NamespaceResolver } from "../engine/resolve-namespace.js";
import { KnowledgeBaseError } from "../errors.js";
import { type ConfigField, sealConfig, sealedField } from "../secrets/config-secrets.js";
import type { Access } from "../storage/records/access.js";
import type { CutOverRequest } from "../storage/records/cut-over.js";
import type {
  CallOptions,
  EmbeddingConfig,
  Namespace,
  Reembedding,
  ReembeddingEstimate,
  VectorStoreConfig,
} from "../types.js";
import { discardSchema, newVectorsSchema, reembeddingOptionsSchema } from "../validation/namespace-schema.js";
import type { UnknownKeys } from "../validation/normalize-keys.js";
import { parseInput } from "../validation/parse-input.js";
import { warnOfAbandonedStore } from "./abandoned-store.js";
import { checkVectorStore } from "./check-vector-store.js";
import type { CreateNamespaceInput } from "./namespaces.js";
import { checkNamedEmbedding } from "./new-embedding.js";

/** How a namespace is embedded again. */
export interface ReembeddingOptions extends CallOptions {
  /** The maximum number of chunks to embed per second, 1 to 100,000. @default no limit */
  readonly chunksPerSecond?: number | undefined;
  /**
   * Whether searches use the new vectors as soon as they are complete, or only after `cutOver`. A namespace with a
   * guard of golden questions refuses "automatic".
   * @default "manual"
   */
  readonly cutOver?: "manual" | "automatic" | undefined;
  /** What to do with keys of the configuration that its provider doesn't know. @default "refuse" */
  readonly unknownKeys?: "refuse" | "ignore" | undefined;
}

/** How the vectors that searches don't use are removed. */
export interface DiscardOptions extends CallOptions {
  /**
   * Whether to leave in its vector store what that has of the set, such as if the service is gone for good. A warning says
   * what is left. Vectors that searches use stay, also in the same store. Can't be undone.
   * @default false
   */
  readonly abandonStore?: boolean | undefined;
}

/**
 * The new embedding model or the new vector store, or both, each as of a new namespace. What is left out stays as it
 * is;
 * `{ provider: "MANAGED_SQLITE_VEC" }` is the store that keeps vectors in the knowledge base.
 */
export type NewVectors = Pick<CreateNamespaceInput, "embeddingConfig" | "vectorStoreConfig">;

/** How often a waiting caller asks for the state. */
const POLL_MS = 250;

/** The changes of the embedding models and vector stores of one organization's namespaces. */
export class Reembeddings {
  readonly #resolve: NamespaceResolver;

  /** @internal */
  constructor(resolve: NamespaceResolver) {
    this.#resolve = resolve;
  }

  /**
   * Returns what embedding the namespace again takes. Tests the model and the store as `start` does, and changes
   * nothing.
   * @throws KnowledgeBaseError the errors of `start`
   */
  async estimate(ref: string, given: NewVectors, options: ReembeddingOptions = {}): Promise<ReembeddingEstimate> {
    const { unknownKeys } = parseOptions(options);
    const { engine, access } = await this.#resolve(ref, options.signal);
    const { embeddingConfig } = await checkConfigs(engine, access, given, { unknownKeys, signal: options.signal });
    const counts = await engine.storage.reembeddings.countPublished({ namespaceId: access.namespaceId });
    const { dimensions } = await engine.drivers.openEmbedder(embeddingConfig);
    return { ...counts, dimensions, vectorBytes: counts.chunks * dimensions * Float32Array.BYTES_PER_ELEMENT };
  }

  /**
   * Starts to write vectors of another model, or into another vector store, beside those that searches use. The worker
   * continues it after any interruption. Documents that are ingested from now on get both vectors.
   *
   * @throws KnowledgeBaseError `not_found`, `conflict` if a second set of vectors is kept already, or (then retryable) if the
   * sets of the namespace change while the model is tested, and the errors of `create` for the configurations
   */
  async start(ref: string, given: NewVectors, options: ReembeddingOptions = {}): Promise<Reembedding> {
    const { unknownKeys, cutOver, chunksPerSecond = null } = parseOptions(options);
    const { engine, access } = await this.#resolve(ref, options.signal);
    requireWhole(access);
    const { organizationId, namespaceId, namespace } = access;
    const { drivers, secrets, storage } = engine;
    // Before a model is tested, which may take minutes.
    const usedVectorSet = namespace.vectorSet;
    const { vectorSet, lastVectorSet } = await storage.reembeddings.nextVectorSet({ namespaceId, usedVectorSet });
    const used = await vectorLocationOf(engine, access, namespace);
    const configs = await checkConfigs(engine, access, given, { unknownKeys, signal: options.signal });
    const owner = { organizationId, namespaceId, ownerId: namespaceId };
    const embedding = sealConfig(configs.embeddingConfig, drivers.embeddingSecrets(configs.embeddingConfig), {
      ...{ secrets, owner, field: sealedField("embeddingConfig", vectorSet) },
    });
    const vectorStore = sealConfig(configs.vectorStoreConfig, drivers.vectorStoreSecrets(configs.vectorStoreConfig), {
      ...{ secrets, owner, field: sealedField("vectorStoreConfig", vectorSet) },
    });
    const location = await drivers.locateVectors(configs.vectorStoreConfig);
    const reembedding = await storage.reembeddings.start({
      ...{ organizationId, namespaceId, vectorSet, lastVectorSet, usedVectorSet, chunksPerSecond },
      ...{ embeddingConfig: embedding.masked, vectorStoreConfig: vectorStore.masked },
      ...{ isInStore: location.kind === "store", isUsedInStore: used.kind === "store" },
      isSameModel: given.embeddingConfig === undefined,
      sealed: [...embedding.sealed, ...vectorStore.sealed].map((value) => {
        return { ...value, namespaceId, ownerId: namespaceId };
      }),
      wantsCutOver: cutOver === "automatic",
      now: engine.now(),
    });
    engine.events.emitWorkAdded();
    return reembedding;
  }

  /** Returns the state; `null` if the namespace has one set of vectors only. @throws KnowledgeBaseError `not_found` */
  async get(ref: string, options: CallOptions = {}): Promise<Reembedding | null> {
    const { engine, access } = await this.#resolve(ref, options.signal);
    requireWhole(access);
    return engine.storage.reembeddings.get({ namespaceId: access.namespaceId });
  }

  /**
   * Waits until nothing more happens by itself: until the new vectors are complete, a requested cut-over or rollback is
   * done, the discarded vectors are gone (`null`), or an error has stopped it.
   * @throws KnowledgeBaseError `not_found` for the namespace
   */
  async wait(ref: string, options: CallOptions = {}): Promise<Reembedding | null> {
    for (;;) {
      const found = await this.get(ref, options);
      if (found === null || found.isStopped) return found;
      if (!found.isCutOverRequested && (found.state === "ready" || found.state === "cut_over")) return found;
      await sleep(POLL_MS, undefined, { signal: options.signal });
    }
  }

  /**
   * Lets searches use the new vectors, their model and their store. One transaction changes all, so no search sees two
   * sets. If chunks lack vectors, because the work isn't done or documents were ingested meanwhile, the worker cuts
   * over as soon as it has written them. The old vectors are kept.
   *
   * @param approval What the guard of the namespace has allowed; `null` if it wasn't asked, and "not needed" to ignore it.
   * @throws KnowledgeBaseError `not_found`, `conflict` if searches use the new vectors already, an unasked guard exists, or
   * (then retryable) the guard has allowed others
   */
  cutOver(ref: string, approval: CutOverRequest["approval"], options: CallOptions = {}): Promise<Reembedding> {
    return this.#requestCutOver(ref, { from: ["running", "ready"], approval }, options);
  }

  /**
   * Lets searches use the old vectors and the old model again, like `cutOver`, without asking a guard.
   * @throws KnowledgeBaseError `not_found`, `conflict` if searches use the old vectors already
   */
  rollback(ref: string, options: CallOptions = {}): Promise<Reembedding> {
    return this.#requestCutOver(ref, { from: ["cut_over"], approval: "not needed" }, options);
  }

  async #requestCutOver(
    ref: string,
    request: Pick<CutOverRequest, "from" | "approval">,
    { signal }: CallOptions,
  ): Promise<Reembedding> {
    const { engine, access } = await this.#resolve(ref, signal);
    requireWhole(access);
    const { storage } = engine;
    const check = await checkVectorSet(storage, access.namespaceId, { signal });
    const reembedding = await storage.reembeddings.requestCutOver({ ...owner(engine, access), ...request, check });
    engine.events.emitWorkAdded();
    return reembedding;
  }

  /**
   * Goes on after an error has stopped it. Does nothing otherwise.
   * @throws KnowledgeBaseError `not_found`
   */
  async resume(ref: string, options: CallOptions = {}): Promise<Reembedding> {
    const { engine, access } = await this.#resolve(ref, options.signal);
    requireWhole(access);
    const reembedding = await engine.storage.reembeddings.resume(owner(engine, access));
    engine.events.emitWorkAdded();
    return reembedding;
  }

  /**
   * Removes the vectors that searches don't use: the new ones before the cut-over, which gives it up, and the old ones
   * after it, which ends the time for a rollback. The worker removes them in small steps.
   * @throws KnowledgeBaseError `invalid_input`, `not_found`, `conflict` if `abandonStore` is true and the vectors are in the
   * knowledge base
   */
  async discard(ref: string, options: DiscardOptions = {}): Promise<void> {
    const { signal, ...input } = options;
    const { abandonStore } = parseInput(discardSchema, input);
    const { engine, access } = await this.#resolve(ref, signal);
    requireWhole(access);
    const discard = { ...owner(engine, access), abandonsStore: abandonStore };
    const abandoned = await engine.storage.reembeddings.discard(discard);
    if (abandoned) warnOfAbandonedStore(engine, access.namespaceId, abandoned);
    engine.events.emitWorkAdded();
  }
}

function owner(engine: Engine, { organizationId, namespaceId }: Access) {
  return { organizationId, namespaceId, now: engine.now() };
}

function parseOptions({ signal, ...options }: ReembeddingOptions) {
  return parseInput(reembeddingOptionsSchema, options);
}

/** All tenants of a namespace have the same model and the same store. */
function requireWhole({ tenantId }: Access): void {
  if (tenantId !== null)
    throw new KnowledgeBaseError(
      "unsupported",
      "The embedding model and the vector store belong to the whole namespace, not to a tenant.",
    );
}

/** Checks the configurations of the new vectors as those of a new namespace, and returns them with their secrets. */
async function checkConfigs(
  engine: Engine,
  access: Access,
  given: NewVectors,
  { unknownKeys, signal }: CallOptions & { readonly unknownKeys: UnknownKeys },
): Promise<{ readonly embeddingConfig: EmbeddingConfig; readonly vectorStoreConfig: VectorStoreConfig }> {
  requireWhole(access);
  const { namespace } = access;
  const { vectorSet } = namespace;
  const configs = parseInput(newVectorsSchema, given);
  if (!configs.embeddingConfig && !configs.vectorStoreConfig) {
    const message = "embeddingConfig or vectorStoreConfig must be given: one of them changes";
    throw new KnowledgeBaseError("invalid_input", message, { issues: [{ field: "embeddingConfig", message }] });
  }
  const stored = <Field extends ConfigField>(field: Field): Promise<Namespace[Field]> =>
    unsealConfig(engine, access, field, { config: namespace[field], vectorSet });
  // Before a model is tested.
  const vectorStore = configs.vectorStoreConfig
    ? engine.drivers.checkVectorStore(configs.vectorStoreConfig, unknownKeys)
    : await stored("vectorStoreConfig");
  const embedding = configs.embeddingConfig
    ? await checkNamedEmbedding(engine, configs.embeddingConfig, unknownKeys)
    : await stored("embeddingConfig");
  await checkVectorStore(engine, { vectorStore, embedding }, { signal });
  return { embeddingConfig: embedding, vectorStoreConfig: vectorStore };
}
