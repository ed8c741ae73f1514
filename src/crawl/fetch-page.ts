import { createHash } from "node:crypto";
import type { LeftOutReason } from "../domain/crawl-counts.js";
import { getErrorMessage, KnowledgeBaseError } from "../errors.js";
import type { Parser } from "../interfaces/parser.js";
import { conditionalHeaders, validatorsOf } from "../net/validators.js";
import { mayParse } from "../parsers/can-parse.js";
import { fetchedFileName } from "../sources/file-name.js";
import type { CrawlLimits } from "./crawl-limits.js";
import type { FetchedPage, PreviousFetch } from "./frontier.js";
import { detectDocumentType, isPageType, isSupportedFormat, parseDeclaredFormat } from "./page-format.js";
import { pageKey, siteOf, toRequestUrl } from "./page-key.js";
import type { PageReader } from "./page-reader.js";
import { type ReadBodyOptions, readBody } from "./read-body.js";
import type { PageMetadata } from "./read-page.js";
import { parseHeaderDirectives } from "./robots-directives.js";
import type { RobotsTxtCache } from "./robots-txt-cache.js";
import type { CrawlSignals, SiteClient } from "./site-client.js";

/** What the site returned for a page's URL. */
export type FetchResult =
  | { readonly kind: "page"; readonly page: FetchedPage; readonly metadata: PageMetadata }
  | { readonly kind: "file"; readonly page: FetchedPage; readonly noindex: boolean }
  /** The previous fetch is still valid. */
  | { readonly kind: "unchanged" }
  /** The URL redirects to another page; `temporary` for 302, 303 and 307, where the page keeps its URL (RFC 9110). */
  | { readonly kind: "moved"; readonly to: string; readonly temporary: boolean }
  /** `temporary` if the page may be available later: the site wants other credentials, or redirects temporarily. */
  | { readonly kind: "left_out"; readonly reason: LeftOutReason; readonly temporary?: boolean }
  | { readonly kind: "failed"; readonly message: string; readonly retryable: boolean };

export interface FetchPageOptions extends CrawlSignals {
  readonly client: SiteClient;
  readonly robots: RobotsTxtCache;
  readonly reader: PageReader;
  readonly limits: CrawlLimits;
  /** Custom parsers, tried before the built-in ones. */
  readonly parsers: readonly Parser[];
  /** The earlier fetch whose validators are sent, to find out whether the page has changed since then. */
  readonly previous: PreviousFetch | null;
  /**
   * Waits for a slot to buffer more than `maxPageBytes`, and returns a function that releases the slot. Each attempt
   * takes and releases a slot: an attempt that kept its slot would leave none for the next attempt.
   */
  readonly takeLargeFileSlot: () => Promise<() => void>;
}

type Content = Pick<FetchedPage, "bytes" | "mimeType" | "charset">;

/** The number of redirects between spellings of a URL that are followed. */
const MAX_SPELLING_REDIRECTS = 5;

/** The statuses of redirects after which the page has another URL (RFC 9110, sections 15.4.2 and 15.4.9). */
const PERMANENT_REDIRECT_STATUSES = new Set([301, 308]);

/**
 * Fetches a page. Redirects between spellings of its URL are followed; a redirect to another page is returned. If the
 * robots.txt of its origin can't be fetched, the page fails.
 *
 * @throws KnowledgeBaseError `provider_failed` and `deferred` if the site must not be contacted for now
 * @throws the reason of `signal` or `waitSignal` when it is aborted
 */
export async function fetchPage(pageUrl: string, options: FetchPageOptions): Promise<FetchResult> {
  const { robots, client, limits, previous, signal, waitSignal } = options;
  let url = pageUrl;
  for (let redirects = 0; redirects <= MAX_SPELLING_REDIRECTS; redirects++) {
    const result = await catchPageError(url, waitSignal, async () => {
      const rules = await robots.get(new URL(url).origin, { signal, waitSignal });
      if (!rules.allows(url)) return { kind: "left_out", reason: "robots" };
      const { delayMs } = rules;
      const request = {
        delayMs,
        headers: previous?.url === url ? conditionalHeaders(previous) : {},
        maxBytes: limits.maxFileBytes,
        isPage: true,
        signal,
        waitSignal,
      };
      return client.send(url, request, (response, release) =>
        new ResponseReader(url, response, release, options).read(),
      );
    });
    if (result.kind !== "moved" || pageKey(result.to) !== pageKey(pageUrl)) return leaveOutOffSiteRedirect(result, url);
    url = result.to;
  }
  return {
    kind: "failed",
    message: `${pageUrl} redirects to itself more than ${MAX_SPELLING_REDIRECTS} times.`,
    retryable: false,
  };
}

/** Converts an error that affects only this page to a result. */
async function catchPageError(
  url: string,
  waitSignal: AbortSignal,
  send: () => Promise<FetchResult>,
): Promise<FetchResult> {
  try {
    return await send();
  } catch (error) {
    waitSignal.throwIfAborted();
    if (!KnowledgeBaseError.is(error) || error.deferred) throw error;
    if (error.code === "limit_exceeded") return { kind: "left_out", reason: "too_large" };
    return { kind: "failed", message: `${url}: ${getErrorMessage(error)}`, retryable: error.retryable };
  }
}

function leaveOutOffSiteRedirect(result: FetchResult, from: string): FetchResult {
  const isOffSite = result.kind === "moved" && siteOf(new URL(result.to)) !== siteOf(new URL(from));
  return isOffSite ? { kind: "left_out", reason: "outside", temporary: result.temporary } : result;
}

/** Converts one response to a result. */
class ResponseReader {
  readonly #url: string;
  readonly #response: Response;
  /** Frees the request slot before the response is processed, so that the next request may start. */
  readonly #release: () => void;
  readonly #options: FetchPageOptions;

  constructor(url: string, response: Response, release: () => void, options: FetchPageOptions) {
    this.#url = url;
    this.#response = response;
    this.#release = release;
    this.#options = options;
  }

  async read(): Promise<FetchResult> {
    const { status } = this.#response;
    if (status === 304 && this.#options.previous?.url === this.#url) return { kind: "unchanged" };
    if (status >= 300 && status < 400) return this.#readRedirect();
    if (status === 404 || status === 410) return { kind: "left_out", reason: "not_found" };
    if (status >= 400 && status < 500) return { kind: "left_out", reason: "forbidden", temporary: true };
    if (status === 200 || status === 203) return this.#readContent();
    // Not retried at once: server errors that `SiteClient` doesn't retry rarely pass within seconds.
    return { kind: "failed", message: `${this.#url}: HTTP status ${status}.`, retryable: status >= 500 };
  }

  #readRedirect(): FetchResult {
    const location = this.#response.headers.get("location") ?? "";
    const to = URL.canParse(location, this.#url) ? toRequestUrl(location, this.#url) : null;
    if (location === "" || to === null || !/^https?:$/.test(to.protocol)) {
      return {
        kind: "failed",
        message: `${this.#url} redirects to "${location}", which is not an http or https URL.`,
        retryable: false,
      };
    }
    return { kind: "moved", to: to.href, temporary: !PERMANENT_REDIRECT_STATUSES.has(this.#response.status) };
  }

  async #readContent(): Promise<FetchResult> {
    const { limits, parsers } = this.#options;
    const { headers } = this.#response;
    const fileName = fetchedFileName(headers.get("content-disposition"), this.#url);
    const declared = parseDeclaredFormat(headers.get("content-type"), fileName);
    if (!isSupportedFormat(declared, parsers)) return { kind: "left_out", reason: "not_document" };
    const isPage = isPageType(declared.mimeType);
    const maxBytes = isPage ? limits.maxPageBytes : limits.maxFileBytes;
    if (Number(headers.get("content-length")) > maxBytes) return { kind: "left_out", reason: "too_large" };
    const hash = createHash("sha256");
    const bytes = await this.#readBytes({
      maxBytes,
      onChunk: (chunk) => hash.update(chunk),
      maxMs: isPage ? limits.pageMs : limits.fileMs,
    });
    this.#release();
    if (bytes.length === 0) return { kind: "left_out", reason: "empty" };
    const mimeType = detectDocumentType(bytes, declared, parsers);
    if (mimeType === null) return { kind: "left_out", reason: "not_document" };
    const content = { bytes, mimeType, charset: declared.charset };
    const bytesHash = hash.update(`\n${mimeType}; charset=${declared.charset}`).digest("hex");
    return isPageType(mimeType)
      ? this.#readPage(content, bytesHash)
      : this.#readFile({ ...content, fileName }, bytesHash);
  }

  async #readBytes(options: Omit<ReadBodyOptions, "largeBody">): Promise<Uint8Array> {
    const { limits, takeLargeFileSlot } = this.#options;
    let releaseSlot = () => {};
    const wait = async () => {
      // The page that holds the slot may be waiting for this request to end.
      this.#release();
      releaseSlot = await takeLargeFileSlot();
    };
    try {
      return await readBody(this.#response, { ...options, largeBody: { thresholdBytes: limits.maxPageBytes, wait } });
    } finally {
      releaseSlot();
    }
  }

  async #readPage(content: Content, bytesHash: string): Promise<FetchResult> {
    if (content.bytes.length > this.#options.limits.maxPageBytes) return { kind: "left_out", reason: "too_large" };
    const { headers } = this.#response;
    const received = {
      url: this.#url,
      bytes: content.bytes,
      charset: content.charset,
      headers: {
        link: headers.get("link"),
        refresh: headers.get("refresh"),
        robots: headers.get("x-robots-tag"),
        language: headers.get("content-language"),
      },
    };
    const metadata = await this.#options.reader.read(received, this.#options.signal);
    const { title, description, language } = metadata;
    // A custom parser may use any part of the page, so only the bytes tell whether its document changes.
    const hasCustomParser = this.#options.parsers.some((parser) => mayParse(parser, { ...content, name: null }));
    const contentHash = hasCustomParser ? bytesHash : metadata.contentHash;
    const site = siteOf(new URL(this.#url));
    const links = metadata.links.filter((link) => siteOf(new URL(link)) === site);
    const page = { ...content, url: this.#url, fileName: null, title, description, language, contentHash, links };
    return { kind: "page", page: { ...page, ...validatorsOf(this.#response.headers) }, metadata };
  }

  #readFile(content: Content & Pick<FetchedPage, "fileName">, contentHash: string): FetchResult {
    const page = { ...content, url: this.#url, title: null, description: null, language: null, contentHash, links: [] };
    const { noindex } = parseHeaderDirectives(this.#response.headers.get("x-robots-tag"));
    return { kind: "file", page: { ...page, ...validatorsOf(this.#response.headers) }, noindex };
  }
}
