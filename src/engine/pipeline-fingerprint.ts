import { createHash } from "node:crypto";
import type { IngestConfig } from "../types.js";
import type { Engine } from "./engine.js";

/**
 * A digest of everything but the source that determines a document's chunks: its config and the parsing and chunking
 * rules. Custom parsers and chunkers contribute their name only, optional packages only whether they are installed.
 *
 * @param config As JSON.
 */
export function fingerprintPipeline({ preparer }: Pick<Engine, "preparer">, config: string): string {
  const rules = preparer.fingerprint(JSON.parse(config) as IngestConfig);
  return createHash("sha256")
    .update(JSON.stringify([rules, config]))
    .digest("hex");
}
