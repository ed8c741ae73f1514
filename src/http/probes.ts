import type { KnowledgeBase } from "../index.js";

const METRICS_HEADERS = { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" };

/** Says that the process responds. */
export function answerHealth(): Response {
  return Response.json({ status: "ok" });
}

/** Says whether the knowledge base is open, its database responds and its disks have space; with status 503 if not. */
export async function answerReady(kb: KnowledgeBase, signal: AbortSignal): Promise<Response> {
  try {
    const { isReady, reason } = await kb.readiness({ signal });
    return isReady
      ? Response.json({ status: "ready" })
      : Response.json({ status: "unavailable", reason }, { status: 503 });
  } catch {
    // The error may have internals. Calls that fail log it.
    return Response.json({ status: "unavailable" }, { status: 503 });
  }
}

/** Returns the metrics as text for Prometheus. */
export async function answerMetrics(kb: KnowledgeBase, signal: AbortSignal): Promise<Response> {
  return new Response(await kb.metrics({ signal }), { headers: METRICS_HEADERS });
}
