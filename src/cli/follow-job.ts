import type { IngestEvent, IngestRun, NamespaceHandle } from "../index.js";
import type { IngestJob, Metadata } from "../types.js";

/** Describes which pages of a document are being parsed, for a line of progress; empty for other events. */
export function describePages(event: IngestEvent): string {
  if (event.type !== "document.progress" || event.pages === null) return "";
  const { read, total } = event.pages;
  const name = event.documentName === null ? "" : ` of ${event.documentName}`;
  return read < total ? `, page ${read} of ${total}${name}` : "";
}

/**
 * Follows a job until it ends and reports each event. Ctrl-C cancels the job and waits until it is cancelled. If the
 * ingest was skipped, because the job already existed, Ctrl-C only stops following it.
 */
export async function followJob(
  handle: NamespaceHandle,
  run: IngestRun<Metadata>,
  signal: AbortSignal,
  onEvent: (event: IngestEvent) => void,
): Promise<IngestJob> {
  const cancelsJob = run.outcome !== "skipped";
  const cancel = () => void handle.ingestJobs.cancel(run.id).catch(() => {});
  if (cancelsJob) signal.addEventListener("abort", cancel, { once: true });
  if (cancelsJob && signal.aborted) cancel();
  try {
    // Without the signal, the job is followed even after Ctrl-C, until it has been cancelled.
    const options = cancelsJob ? {} : { signal };
    for await (const event of run.events(options)) onEvent(event);
    const job = await run.done(options);
    signal.throwIfAborted();
    return job;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
