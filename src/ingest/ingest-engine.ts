import type { Discoverer, DiscoveryPayload } from "../engine/discovery.js";
import type { Engine } from "../engine/engine.js";
import type { FetchingServices } from "./fetching-services.js";

/** The engine with the components that only the worker uses. */
export interface IngestEngine extends Engine {
  readonly fetching: FetchingServices;
  /** By payload type: discovers the documents of payloads that don't list them. */
  readonly discover: {
    readonly [Type in DiscoveryPayload["type"]]: Discoverer<Extract<DiscoveryPayload, { type: Type }>>;
  };
}
