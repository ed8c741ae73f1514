import type { Discoverer, DiscoveryPayload } from "../engine/discovery.js";
import type { Engine } from "../engine/engine.js";
import type { FetchingServices } from "./fetching-services.js";

/** The engine's parts, and those that only the worker uses. */
export interface IngestEngine extends Engine {
  readonly fetching: FetchingServices;
  /** Discovers the documents of payloads that do not list them, by payload type. */
  readonly discover: {
    readonly [Type in DiscoveryPayload["type"]]: Discoverer<Extract<DiscoveryPayload, { type: Type }>>;
  };
}
