import { createHash } from "node:crypto";
import type { IngestConfig } from "../types.js";
import type { Engine } from "./engine.js";

/**
 * A digest of what a document's chunks depend on besides its source: its config, and the rules by which it is parsed and chunked. A parser
 * or chunker of the caller's is known by its name alone, and a package of another's by being installed.
 *
 * @param config As JSON.
 */
export function pipelineFingerprint({ preparer }: Pick<Engine, "preparer">, config: string): string {
  const rules = preparer.rules(JSON.parse(config) as IngestConfig);
  return createHash("sha256")
    .update(JSON.stringify([rules, config]))
    .digest("hex");
}
