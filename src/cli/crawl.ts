import type { IngestEvent } from "../index.js";
import { formatCount } from "./columns.js";
import type { Command } from "./command.js";
import { parseCount, parseHeaders, parseIngestFlags } from "./flag-values.js";
import { INGEST_FLAGS, NAMESPACE_FLAGS } from "./flags.js";
import { followJob } from "./follow-job.js";
import { buildIngestOutcome } from "./ingest-outcome.js";
import type { Progress } from "./progress.js";
import { startCrawl } from "./start-crawl.js";
import { withTargetNamespace } from "./with-namespace.js";

type CrawlEnd = Extract<IngestEvent, { type: "crawl.ended" }>;
type CrawlCounts = CrawlEnd["pages"];

/** The note printed for each reason why a crawl ended. */
const END_NOTES: Readonly<Record<CrawlEnd["ended"], string>> = {
  done: "",
  limit: "; stopped at the maximum number of documents, which --limit sets",
  pages: "; stopped after too many pages without documents",
};

export const crawlCommand: Command = {
  name: "crawl",
  summary: "add the pages of a site to a namespace, or update them",
  usage: "<url>",
  operands: { min: 1, max: 1 },
  flags: [
    ...NAMESPACE_FLAGS,
    "max-depth",
    "limit",
    "include-path",
    "exclude-path",
    "header",
    "replace",
    ...INGEST_FLAGS,
  ],
  async run(invocation) {
    const startTime = performance.now();
    const { operands, flags, terminal } = invocation;
    const { signal } = terminal;
    const { embeddingConfig, config } = parseIngestFlags(flags);
    const url = operands[0]!;
    const payload = {
      type: "CRAWL" as const,
      url,
      maxDepth: parseCount("max-depth", flags["max-depth"]),
      limit: parseCount("limit", flags.limit),
      includePaths: flags["include-path"],
      excludePaths: flags["exclude-path"],
      headers: parseHeaders(flags.header),
    };
    const name = URL.canParse(url) ? new URL(url).host : url;
    return withTargetNamespace(invocation, embeddingConfig, async ({ namespace, handle, progress }) => {
      const options = { ...config, name, signal, replace: flags.replace ?? false };
      const { run, isRepeat, replacedJobIds } = await startCrawl(handle, payload, options);
      let pages: CrawlCounts | null = null;
      const endEvents: CrawlEnd[] = [];
      const job = await followJob(handle, run, signal, (event) => {
        if (event.type === "crawl.ended") endEvents.push(event);
        if (event.type === "crawl.progress" || event.type === "crawl.ended") pages = event.pages;
        // The total grows during the crawl, so a line for each quarter would be meaningless.
        if (terminal.isInteractive && pages !== null) showProgress(progress, pages, event.counts.documents);
      });
      progress.end();
      const deletedJobIds = job.status === "COMPLETED" ? replacedJobIds : [];
      for (const id of deletedJobIds) await handle.ingestJobs.delete(id, { signal });
      const { json, text, exitCode } = await buildIngestOutcome(handle, namespace, [job], startTime);
      const end = endEvents.at(-1);
      const lines = [
        text,
        ...(end ? [`pages: ${describeCounts(end.pages)}${END_NOTES[end.ended]}`] : []),
        ...(isRepeat ? [`crawled again: ${run.id}`] : []),
        ...deletedJobIds.map((id) => `replaced ${id}`),
        ...(deletedJobIds.length < replacedJobIds.length
          ? [`not replaced, since this crawl did not complete: ${replacedJobIds.join(", ")}`]
          : []),
      ];
      return {
        json: {
          ...json,
          ended: end?.ended ?? null,
          pages: end?.pages ?? null,
          again: isRepeat,
          replaced: deletedJobIds,
        },
        text: lines.join("\n"),
        exitCode: exitCode ?? 0,
      };
    });
  },
};

function showProgress(
  progress: Progress,
  { pending, leftOut, skipped: _, ...finished }: CrawlCounts,
  { completed, failed }: IngestEvent["counts"]["documents"],
): void {
  const done = Object.values({ ...finished, ...leftOut }).reduce((total, count) => total + count, 0);
  progress.update({
    label: "crawling",
    done,
    total: done + pending,
    detail: `pages, ${formatCount(completed + failed, "document")}`,
  });
}

/** Formats the nonzero counts of pages. Left-out pages were fetched but not ingested; skipped ones weren't fetched. */
function describeCounts({ leftOut, skipped, ...states }: CrawlCounts): string {
  const parts = [formatCounts(states), `left out: ${formatCounts(leftOut)}`, `skipped: ${formatCounts(skipped)}`];
  return parts.filter((part) => !part.endsWith(": ")).join("; ");
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  const nonZero = Object.entries(counts).filter(([, count]) => count > 0);
  return nonZero.map(([reason, count]) => `${count} ${reason.replaceAll("_", " ")}`).join(", ");
}
