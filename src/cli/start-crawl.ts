import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { KnowledgeBaseError } from "../errors.js";
import type { IngestRun, NamespaceHandle } from "../index.js";
import type { CrawlPayload, IngestJob, Metadata } from "../types.js";

/** Prefix of the external ids of this command's jobs, which distinguishes them from the crawls of other programs. */
const EXTERNAL_ID_PREFIX = "lorebase crawl ";

type Options = NonNullable<Parameters<NamespaceHandle["ingest"]>[1]>;

export interface CrawlStart {
  readonly run: IngestRun<Metadata>;
  /** Whether the crawl continues or repeats an earlier crawl of the URL with the same options. */
  readonly isRepeat: boolean;
  /** Jobs that crawled the URL with other options, to be deleted once this crawl has completed. */
  readonly replacedJobIds: readonly string[];
}

/**
 * Starts a crawl of a URL. If this command has already crawled it in the namespace and tenant with the same options,
 * follows that job, or ingests it again if it has ended. A crawl with headers or with credentials in the URL
 * never counts as the same: stored secrets are not returned, so they can't be compared.
 *
 * @throws KnowledgeBaseError `conflict` if there is a crawl with other options and `replace` is not set
 */
export async function startCrawl(
  handle: NamespaceHandle,
  payload: CrawlPayload,
  { replace, ...options }: Options & { readonly replace: boolean },
): Promise<CrawlStart> {
  const { payloadSchema } = await import("../validation/ingest-job-schema.js");
  const earlier = await listCrawls(handle, payload.url);
  // Parsing adds the defaults, which stored payloads have. An invalid payload matches no crawl: creating a job fails.
  const { data: parsed } = payloadSchema.safeParse(payload);
  const sameCrawl = earlier.find((job) => parsed?.type === "CRAWL" && isSameCrawl(job, parsed, options));
  const otherJobIds = earlier.filter((job) => job !== sameCrawl).map(({ id }) => id);
  if (sameCrawl === undefined && otherJobIds.length > 0 && !replace) {
    const reason = hasSecrets(payload) ? "headers or a password, which can't be compared" : "other options";
    const remedy = "--replace crawls the URL again and then deletes the earlier crawl";
    throw new KnowledgeBaseError("conflict", `${otherJobIds[0]} is a crawl of this URL with ${reason}: ${remedy}`);
  }
  return {
    run: await startRun(handle, sameCrawl, payload, options),
    isRepeat: sameCrawl !== undefined,
    replacedJobIds: replace ? otherJobIds : [],
  };
}

async function startRun(
  handle: NamespaceHandle,
  sameCrawl: IngestJob | undefined,
  payload: CrawlPayload,
  options: Options,
) {
  if (sameCrawl === undefined) {
    return handle.ingest(payload, { ...options, externalId: EXTERNAL_ID_PREFIX + randomUUID() });
  }
  const hasEnded = ["COMPLETED", "FAILED", "CANCELLED"].includes(sameCrawl.status);
  return hasEnded ? handle.ingestJobs.reingest(sameCrawl.id) : handle.ingestJobs.watch(sameCrawl.id);
}

/** Lists this command's crawls of a URL, newest first, without those that are being deleted. */
async function listCrawls(handle: NamespaceHandle, url: string): Promise<IngestJob[]> {
  const jobs: IngestJob[] = [];
  for await (const job of handle.ingestJobs.iterate({ order: "desc" })) {
    const { externalId, tenantId, payload, status } = job;
    const isOfCommand = externalId?.startsWith(EXTERNAL_ID_PREFIX) && tenantId === handle.tenantId;
    if (!isOfCommand || status === "DELETING" || status === "QUEUED_FOR_DELETE") continue;
    if (payload.type === "CRAWL" && normalizeUrl(payload.url) === normalizeUrl(url)) jobs.push(job);
  }
  return jobs;
}

function isSameCrawl(
  { payload, config }: IngestJob,
  other: CrawlPayload,
  { metadata, allow, chunkSize }: Options,
): boolean {
  if (payload.type !== "CRAWL" || hasSecrets(payload) || hasSecrets(other)) return false;
  return isDeepStrictEqual(
    toStoredForm({ ...payload, url: "", config }),
    toStoredForm({ ...other, url: "", config: { metadata, allow, chunkSize } }),
  );
}

function hasSecrets({ url, headers }: CrawlPayload): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return headers !== undefined || username !== "" || password !== "";
}

/** Removes the fragment and the credentials, which are masked in stored jobs. Returns an invalid URL unchanged. */
function normalizeUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  url.username = "";
  url.password = "";
  url.hash = "";
  return url.href;
}

function toStoredForm(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
