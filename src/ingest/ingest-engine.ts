import type { Discover, FindingPayload } from "../engine/discovery.js";
import type { Engine } from "../engine/engine.js";
import type { Outside } from "./outside.js";

/** The engine's parts, and those that only the worker uses. */
export interface IngestEngine extends Engine {
  readonly outside: Outside;
  /** Finds the documents of payloads that don't name them, by the payload's type. */
  readonly discover: { readonly [Type in FindingPayload["type"]]: Discover<Extract<FindingPayload, { type: Type }>> };
}
