import type { IngestEvent } from "../index.js";
import { HttpError } from "./errors.js";
import type { Call } from "./route.js";

/** The interval of heartbeats, since proxies close idle connections. A heartbeat is a comment: a line with a colon. */
const HEARTBEAT_MS = 15_000;

/** Streams a job's events until it ends. A client that reconnects continues after its last event id. */
export async function streamJobEvents({ namespace, params, request, signal }: Call): Promise<Response> {
  const after = parseLastEventId(request.headers.get("last-event-id"));
  const job = await namespace.ingestJobs.watch(params.jobId!, { signal });
  const cancellation = new AbortController();
  const events = job.events({ after, signal: AbortSignal.any([signal, cancellation.signal]) });
  let heartbeat: NodeJS.Timeout;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      heartbeat = setInterval(() => controller.enqueue(encode(":\n\n")), HEARTBEAT_MS);
    },
    async pull(controller) {
      try {
        const { done, value } = await events.next();
        if (!done) return controller.enqueue(encode(formatEvent(value)));
        clearInterval(heartbeat);
        controller.close();
      } catch (error) {
        clearInterval(heartbeat);
        controller.error(error);
      }
    },
    async cancel() {
      clearInterval(heartbeat);
      cancellation.abort();
      // A generator suspended at a yield ignores the signal; `return` removes its listeners.
      await events.return(undefined);
    },
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}

function parseLastEventId(header: string | null): number {
  if (header === null) return 0;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new HttpError(400, `Last-Event-ID must be the id of an event, not ${JSON.stringify(header)}.`);
}

function formatEvent(event: IngestEvent): string {
  const id = "seq" in event ? `id: ${event.seq}\n` : "";
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
