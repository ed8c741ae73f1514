import { createHash } from "node:crypto";
import type { IngestConfig } from "../types.js";
import type { Engine } from "./engine.js";

/**
 * Returns a digest of everything except the source that determines a document's chunks: its config, except who may see
 * the document, and the parsing and chunking rules. A custom parser or chunker contributes only its name, an optional package only whether it is
 * installed.
 *
 * @param config The ingest config as JSON.
 */
export function fingerprintPipeline({ preparer }: Pick<Engine, "preparer">, config: string): string {
  const { allow, ...parsed } = JSON.parse(config) as IngestConfig;
  const rules = preparer.fingerprint(parsed);
  // As the text was stored, if possible: documents of earlier versions have its digest.
  const relevant = allow === undefined ? config : JSON.stringify(parsed);
  return createHash("sha256")
    .update(JSON.stringify([rules, relevant]))
    .digest("hex");
}
