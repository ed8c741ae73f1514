import type { IngestEvent, IngestRun, NamespaceHandle } from "../index.js";
import type { IngestJob, Metadata } from "../types.js";

/**
 * Follows a job to its end and reports each event. Ctrl-C cancels the job before it ends this call, unless the job
 * existed before and was left unchanged.
 */
export async function followJob(
  handle: NamespaceHandle,
  run: IngestRun<Metadata>,
  signal: AbortSignal,
  onEvent: (event: IngestEvent) => void,
): Promise<IngestJob> {
  const isOwn = run.outcome !== "skipped";
  const cancel = () => void handle.ingestJobs.cancel(run.id).catch(() => {});
  if (isOwn) signal.addEventListener("abort", cancel, { once: true });
  if (isOwn && signal.aborted) cancel();
  try {
    // An own job is followed beyond Ctrl-C, until it has been cancelled.
    const options = isOwn ? {} : { signal };
    for await (const event of run.events(options)) onEvent(event);
    const job = await run.done(options);
    signal.throwIfAborted();
    return job;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
