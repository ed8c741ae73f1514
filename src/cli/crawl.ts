import type { IngestEvent, NamespaceHandle } from "../index.js";
import type { Command } from "./command.js";
import { namespaceFor } from "./ensure-namespace.js";
import { countOf, directoryOf, embeddingOf, headersOf, objectOf } from "./flag-values.js";
import { followJob } from "./follow-job.js";
import { ingestOutcome } from "./ingest-outcome.js";
import { createProgress, type Progress } from "./progress.js";
import { startCrawl } from "./start-crawl.js";
import { withKnowledgeBase } from "./with-knowledge-base.js";

type CrawlEnd = Extract<IngestEvent, { type: "crawl.ended" }>;
type CrawlCounts = CrawlEnd["pages"];

/** Why a crawl ended before it had no page left. */
const ENDS: Readonly<Record<CrawlEnd["ended"], string>> = {
  done: "",
  limit: "; ended at the limit of documents, which --limit raises",
  pages: "; ended because too many pages were asked for so few documents",
};

/** `lorebase crawl`: a site's pages into a namespace, which is made where it is not there; those that are in it are brought up to date. */
export const crawlCommand: Command = {
  name: "crawl",
  summary: "add the pages of a site to a namespace, or bring them up to date",
  usage: "<url>",
  operands: { min: 1, max: 1 },
  flags: [
    "directory",
    "namespace",
    "tenant",
    "max-depth",
    "limit",
    "include-path",
    "exclude-path",
    "header",
    "replace",
    "embedding",
    "model",
    "metadata",
    "chunk-size",
  ],
  async run({ operands, flags, terminal }) {
    const embedding = embeddingOf(flags);
    const url = operands[0]!;
    const payload = {
      type: "CRAWL" as const,
      url,
      maxDepth: countOf("max-depth", flags["max-depth"]),
      limit: countOf("limit", flags.limit),
      includePaths: flags["include-path"],
      excludePaths: flags["exclude-path"],
      headers: headersOf(flags.header),
    };
    const { signal } = terminal;
    const options = {
      name: URL.canParse(url) ? new URL(url).host : url,
      metadata: objectOf("metadata", flags.metadata),
      chunkSize: countOf("chunk-size", flags["chunk-size"]),
      signal,
      replace: flags.replace ?? false,
    };
    const progress = createProgress(terminal);
    const started = performance.now();
    return withKnowledgeBase({ directory: directoryOf(flags, terminal) }, terminal, progress, async (kb) => {
      const namespace = await namespaceFor(kb, flags.namespace ?? "default", embedding);
      const whole = kb.namespace(namespace.id);
      const handle: NamespaceHandle = flags.tenant === undefined ? whole : whole.tenant(flags.tenant);
      const { run, again, replaced } = await startCrawl(handle, payload, options);
      let pages: CrawlCounts | null = null;
      const ends: CrawlEnd[] = [];
      const job = await followJob(handle, run, signal, (event) => {
        if (event.type === "crawl.ended") ends.push(event);
        if ("pages" in event) pages = event.pages;
        // What is known of a site grows as it is read: of no use but to an eye that watches.
        if (terminal.live && pages !== null) show(progress, pages, event.counts.documents);
      });
      progress.end();
      const gone = job.status === "COMPLETED" ? replaced : [];
      for (const id of gone) await handle.ingestJobs.delete(id, { signal });
      const { json, text, exitCode } = await ingestOutcome(handle, namespace, [job], started);
      const end = ends.at(-1);
      const line = end ? `\npages: ${countsLine(end.pages)}${ENDS[end.ended]}` : "";
      const news = [
        ...(again ? [`crawled again: ${run.id}`] : []),
        ...gone.map((id) => `replaced ${id}`),
        ...(gone.length < replaced.length
          ? [`not replaced, as this crawl did not complete: ${replaced.join(", ")}`]
          : []),
      ];
      return {
        json: { ...json, ended: end?.ended ?? null, pages: end?.pages ?? null, again, replaced: gone },
        text: [`${text}${line}`, ...news].join("\n"),
        exitCode: exitCode ?? 0,
      };
    });
  },
};

function show(
  progress: Progress,
  { pending, leftOut, skipped: _, ...settled }: CrawlCounts,
  { completed, failed }: IngestEvent["counts"]["documents"],
): void {
  const done = sum({ ...settled, ...leftOut });
  progress.update({ label: "crawling", done, total: done + pending, detail: `pages, ${completed + failed} documents` });
}

/** Every count that is not 0, with the reasons why pages were left out, or skipped without being asked for. */
function countsLine({ leftOut, skipped, ...states }: CrawlCounts): string {
  const parts = [listOf(states), `left out: ${listOf(leftOut)}`, `skipped: ${listOf(skipped)}`];
  return parts.filter((part) => !part.endsWith(": ")).join("; ");
}

function listOf(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([reason, count]) => `${count} ${reason.replaceAll("_", " ")}`).join(", ");
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
