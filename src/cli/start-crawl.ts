import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { KnowledgeBaseError } from "../errors.js";
import type { IngestRun, NamespaceHandle } from "../index.js";
import type { CrawlPayload, IngestJob, Metadata } from "../types.js";

/** What the external ids of this command's jobs begin with: crawls that a program made are that program's. */
const OURS = "lorebase crawl ";

type Options = NonNullable<Parameters<NamespaceHandle["ingest"]>[1]>;

export interface CrawlStart {
  readonly run: IngestRun<Metadata>;
  /** Whether it goes on from an earlier crawl of the address with the same options, whose documents it brings up to date. */
  readonly again: boolean;
  /** Crawls of the address with other options, which are to be deleted once this one has completed. */
  readonly replaced: readonly string[];
}

/**
 * Crawls an address, or crawls it again where this command has done so before in the namespace and tenant: with the same options the
 * earlier job is ingested again, or followed where it has not ended. Headers, and a name and password in the address, can't be compared, as
 * they are never shown: they count as other options.
 *
 * @throws KnowledgeBaseError `conflict` where there is a crawl with other options, and it is not to be replaced
 */
export async function startCrawl(
  handle: NamespaceHandle,
  payload: CrawlPayload,
  { replace, ...options }: Options & { readonly replace: boolean },
): Promise<CrawlStart> {
  const { payloadSchema } = await import("../validation/schemas.js");
  const earlier = await crawlsOf(handle, payload.url);
  // With the defaults, as it is stored; one that is not valid is the same as none, and refused as a job.
  const { data: asked } = payloadSchema.safeParse(payload);
  const same = earlier.find((job) => asked?.type === "CRAWL" && isSame(job, asked, options));
  const replaced = earlier.filter((job) => job !== same).map(({ id }) => id);
  if (same === undefined && replaced.length > 0 && !replace) {
    const reason = hasSecrets(payload) ? "headers or a password, which can't be compared" : "other options";
    const message = `${replaced[0]} is a crawl of this address with ${reason}: --replace crawls anew, and deletes it when that is done`;
    throw new KnowledgeBaseError("conflict", message);
  }
  return {
    run: await runOf(handle, same, payload, options),
    again: same !== undefined,
    replaced: replace ? replaced : [],
  };
}

async function runOf(handle: NamespaceHandle, same: IngestJob | undefined, payload: CrawlPayload, options: Options) {
  if (same === undefined) return handle.ingest(payload, { ...options, externalId: OURS + randomUUID() });
  const hasEnded = ["COMPLETED", "FAILED", "CANCELLED"].includes(same.status);
  return hasEnded ? handle.ingestJobs.reingest(same.id) : handle.ingestJobs.watch(same.id);
}

/** Those that are not being deleted, the newest first. */
async function crawlsOf(handle: NamespaceHandle, url: string): Promise<IngestJob[]> {
  const jobs: IngestJob[] = [];
  for await (const job of handle.ingestJobs.iterate({ order: "desc" })) {
    const { externalId, tenantId, payload, status } = job;
    const isOurs = externalId?.startsWith(OURS) && tenantId === handle.tenantId && !status.endsWith("DELETE");
    if (isOurs && status !== "DELETING" && payload.type === "CRAWL" && addressOf(payload.url) === addressOf(url)) {
      jobs.push(job);
    }
  }
  return jobs;
}

function isSame({ payload, config }: IngestJob, asked: CrawlPayload, { metadata, chunkSize }: Options): boolean {
  if (payload.type !== "CRAWL" || hasSecrets(payload) || hasSecrets(asked)) return false;
  return isDeepStrictEqual(
    asJson({ ...payload, url: "", config }),
    asJson({ ...asked, url: "", config: { metadata, chunkSize } }),
  );
}

function hasSecrets({ url, headers }: CrawlPayload): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return headers !== undefined || username !== "" || password !== "";
}

/** Without a name and password, of which an earlier job shows masks; one that is none is refused by the job. */
function addressOf(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.username = "";
  url.password = "";
  url.hash = "";
  return url.href;
}

/** As it is stored. */
function asJson(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
