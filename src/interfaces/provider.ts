import type { ZodType } from "zod";
import type { CallOptions } from "../types.js";
import type { LoadProgress } from "./embedder.js";

/** What the engine passes to a provider that creates a driver. */
export interface ProviderContext extends CallOptions {
  /** The directory for model files. */
  readonly modelsDirectory: string;
  /** Whether missing model files may be downloaded into `modelsDirectory`. @default true */
  readonly downloadModels?: boolean;
  /**
   * Makes external requests. Allows only public hosts and `allowPrivateHosts`, limits times and sizes, and checks
   * redirects.
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Private hosts that may be called, for drivers that check a configured address before they call it.
   * @default none: only `fetch` checks addresses
   */
  readonly allowPrivateHosts?: readonly string[];
  onProgress?(progress: LoadProgress): void;
}

/** Creates drivers of one kind from the configuration that a namespace stores. */
export interface Provider<Config, Instance> {
  /** The provider's name in upper case, such as `MANAGED_LEXICAL`. */
  readonly provider: string;
  /** Fields of the configuration that are stored encrypted and returned masked, such as `["apiKey"]`. @default none */
  readonly secrets?: readonly string[];
  /** The field with the service's address, named in the error if the host doesn't exist. @default none */
  readonly hostField?: string;
  /** Validates the configuration, including `provider`, and fills in its defaults. */
  readonly config: ZodType<Config>;
  /**
   * Fills in fields that only the service knows, once, when a namespace is created.
   * @throws KnowledgeBaseError `invalid_input` if the configuration can't be used, and errors of calls to the service
   */
  complete?(config: Config, context: ProviderContext): Promise<Config>;
  /**
   * Fields that `complete` may fill in. `namespaces.ensure` doesn't compare such fields if its input omits them.
   * @default none
   */
  readonly completedFields?: readonly string[];
  create(config: Config, context: ProviderContext): Promise<Instance>;
}

/** A provider with any configuration. */
// biome-ignore lint/suspicious/noExplicitAny: a registry holds providers of every configuration; each checks its own with its schema
export type AnyProvider<Instance> = Provider<any, Instance>;
