import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { KnowledgeBaseError } from "../errors.js";
import type { IngestRun, NamespaceHandle } from "../index.js";
import type { CrawlPayload, IngestJob, Metadata } from "../types.js";

/** Prefix of the external ids of this command's jobs. It distinguishes them from the crawls of other programs. */
const EXTERNAL_ID_PREFIX = "lorebase crawl ";

type Options = NonNullable<Parameters<NamespaceHandle["ingest"]>[1]>;

export interface CrawlStart {
  readonly run: IngestRun<Metadata>;
  /** Whether it continues or repeats an earlier crawl of the URL with the same options. */
  readonly again: boolean;
  /** Crawls of the URL with other options, to be deleted once this one has completed. */
  readonly replaced: readonly string[];
}

/**
 * Crawls a URL. If this command has crawled it before with the same options in the namespace and tenant, follows the
 * earlier job, or ingests it again if it has ended. Headers and credentials in the URL count as other options: stored
 * ones are never returned, so they can't be compared.
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
  // Has the defaults, as stored payloads have. An invalid payload matches no crawl; creating its job fails.
  const { data: parsed } = payloadSchema.safeParse(payload);
  const same = earlier.find((job) => parsed?.type === "CRAWL" && isSameCrawl(job, parsed, options));
  const replaced = earlier.filter((job) => job !== same).map(({ id }) => id);
  if (same === undefined && replaced.length > 0 && !replace) {
    const reason = hasSecrets(payload) ? "headers or a password, which can't be compared" : "other options";
    const remedy = "--replace crawls it again and then deletes the earlier crawl";
    throw new KnowledgeBaseError("conflict", `${replaced[0]} is a crawl of this URL with ${reason}: ${remedy}`);
  }
  return {
    run: await startRun(handle, same, payload, options),
    again: same !== undefined,
    replaced: replace ? replaced : [],
  };
}

async function startRun(handle: NamespaceHandle, same: IngestJob | undefined, payload: CrawlPayload, options: Options) {
  if (same === undefined) {
    return handle.ingest(payload, { ...options, externalId: EXTERNAL_ID_PREFIX + randomUUID() });
  }
  const hasEnded = ["COMPLETED", "FAILED", "CANCELLED"].includes(same.status);
  return hasEnded ? handle.ingestJobs.reingest(same.id) : handle.ingestJobs.watch(same.id);
}

/** This command's crawls of a URL that are not being deleted, newest first. */
async function listCrawls(handle: NamespaceHandle, url: string): Promise<IngestJob[]> {
  const jobs: IngestJob[] = [];
  for await (const job of handle.ingestJobs.iterate({ order: "desc" })) {
    const { externalId, tenantId, payload, status } = job;
    const isOurs = externalId?.startsWith(EXTERNAL_ID_PREFIX) && tenantId === handle.tenantId;
    if (!isOurs || status === "DELETING" || status === "QUEUED_FOR_DELETE") continue;
    if (payload.type === "CRAWL" && normalizeUrl(payload.url) === normalizeUrl(url)) jobs.push(job);
  }
  return jobs;
}

function isSameCrawl({ payload, config }: IngestJob, other: CrawlPayload, { metadata, chunkSize }: Options): boolean {
  if (payload.type !== "CRAWL" || hasSecrets(payload) || hasSecrets(other)) return false;
  return isDeepStrictEqual(
    toStoredForm({ ...payload, url: "", config }),
    toStoredForm({ ...other, url: "", config: { metadata, chunkSize } }),
  );
}

function hasSecrets({ url, headers }: CrawlPayload): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return headers !== undefined || username !== "" || password !== "";
}

/** Removes the fragment, and the credentials, which are masked in stored jobs. Keeps an invalid URL. */
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
