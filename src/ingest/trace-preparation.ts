import type { PreparedDocument } from "../parse-workers/preparer.js";
import { startSpan, traced } from "../telemetry/traced.js";

/**
 * Runs the preparation of a document in a span. Its children for parsing and chunking are made from the times that the
 * worker reports, as of the moment at which the document arrives.
 */
export function tracePreparation(prepare: () => Promise<PreparedDocument>): Promise<PreparedDocument> {
  return traced("lorebase.ingest.prepare", {}, async (span) => {
    const prepared = await prepare();
    span.setAttribute("lorebase.chunks", prepared.chunks.length);
    const endedAt = Date.now();
    const parsedAt = endedAt - prepared.chunkMs;
    startSpan("lorebase.ingest.parse", { startTime: parsedAt - prepared.parseMs }).end(parsedAt);
    startSpan("lorebase.ingest.chunk", { startTime: parsedAt }).end(endedAt);
    return prepared;
  });
}
