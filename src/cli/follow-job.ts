import type { IngestEvent, IngestRun, NamespaceHandle } from "../index.js";
import type { IngestJob, Metadata } from "../types.js";

/**
 * Follows a job to its end, event by event. Ctrl-C cancels the job before it ends this call; a job that was there before and was left as it
 * is goes on.
 */
export async function followJob(
  handle: NamespaceHandle,
  run: IngestRun<Metadata>,
  signal: AbortSignal,
  each: (event: IngestEvent) => void,
): Promise<IngestJob> {
  const isOurs = run.outcome !== "skipped";
  const cancel = () => void handle.ingestJobs.cancel(run.id).catch(() => {});
  if (isOurs) signal.addEventListener("abort", cancel, { once: true });
  if (isOurs && signal.aborted) cancel();
  try {
    // What is ours is followed beyond Ctrl-C, until it has been cancelled.
    const options = isOurs ? {} : { signal };
    for await (const event of run.events(options)) each(event);
    const job = await run.done(options);
    signal.throwIfAborted();
    return job;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
