import type { ZodType } from "zod";
import type { CallOptions } from "../types.js";
import type { LoadProgress } from "./embedder.js";

/** What the engine hands to a driver that is being made. */
export interface ProviderContext extends CallOptions {
  /** Where model files are kept. */
  readonly modelsDirectory: string;
  /**
   * What every call to an address outside goes through. It reaches public hosts and those of `allowPrivateHosts`, bounds times and sizes,
   * and follows redirects with care.
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Hosts that may be called though they are not public, for a driver that checks an address of its configuration before it calls it.
   * @default `fetch` alone decides
   */
  readonly allowPrivateHosts?: readonly string[];
  onProgress?(progress: LoadProgress): void;
}

/** Turns a stored configuration into a live driver. Registered as a value, never switched on. */
export interface Provider<Config, Instance> {
  /** Upper case, as in `MANAGED_LEXICAL`. */
  readonly provider: string;
  /** Fields of the configuration that are kept encrypted and never shown again, as in `["apiKey"]`. @default none */
  readonly secrets?: readonly string[];
  /** The field of the configuration that says where its service is: named where there is no such host. @default none */
  readonly addressField?: string;
  /** Checks and completes the configuration, `provider` included. */
  readonly config: ZodType<Config>;
  /**
   * Fills in what only the service knows, once, where a namespace is created.
   * @throws KnowledgeBaseError `invalid_input` for what can't be, and what its calls fail with
   */
  complete?(config: Config, context: ProviderContext): Promise<Config>;
  /**
   * Fields that `complete` may fill in. A stored configuration that has one of them and one that leaves it out are the same to
   * `namespaces.ensure`. @default none
   */
  readonly completes?: readonly string[];
  create(config: Config, context: ProviderContext): Promise<Instance>;
}

/** A provider of embedders or vector stores, whatever its configuration. */
// biome-ignore lint/suspicious/noExplicitAny: a registry holds providers of every configuration; each checks its own with its schema
export type AnyProvider<Instance> = Provider<any, Instance>;
