import type { IngestEvent, IngestRun, NamespaceHandle } from "../index.js";
import type { IngestJob, Metadata } from "../types.js";

/** Follows a job to its end, event by event; Ctrl-C cancels the job before it ends this call. */
export async function followJob(
  handle: NamespaceHandle,
  run: IngestRun<Metadata>,
  signal: AbortSignal,
  each: (event: IngestEvent) => void,
): Promise<IngestJob> {
  const cancel = () => void handle.ingestJobs.cancel(run.id).catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    for await (const event of run) each(event);
    const job = await run.done();
    signal.throwIfAborted();
    return job;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
