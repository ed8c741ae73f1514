import { createHash } from "node:crypto";
import type { IngestConfig } from "../types.js";
import type { Engine } from "./engine.js";

/**
 * Returns a digest of everything except the source that determines a document's chunks: its config, except who may see
 * the document, and the parsing and chunking rules. A custom parser or chunker contributes only its name, an optional
 * package only whether it is installed.
 *
 * @param config The ingest config as JSON.
 */
export function fingerprintPipeline(engine: Pick<Engine, "preparer">, config: string): string {
  const { allow, ...relevant } = JSON.parse(config) as IngestConfig;
  // As the text was stored, if possible: documents of earlier versions have its digest.
  return fingerprintConfig(engine, allow === undefined ? config : JSON.stringify(relevant));
}

/** Like {@link fingerprintPipeline}, but also of who may see the document. */
export function fingerprintConfig({ preparer }: Pick<Engine, "preparer">, config: string): string {
  const rules = preparer.fingerprint(JSON.parse(config) as IngestConfig);
  return createHash("sha256")
    .update(JSON.stringify([rules, config]))
    .digest("hex");
}
