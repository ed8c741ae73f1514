import { createHash } from "node:crypto";
import type { LeftOutReason } from "../domain/crawl-counts.js";
import { KnowledgeBaseError, messageOf } from "../errors.js";
import type { Parser } from "../interfaces/parser.js";
import { claims } from "../parsers/can-parse.js";
import { fetchedFileName } from "../sources/file-name.js";
import type { CrawlLimits } from "./crawl-limits.js";
import type { FetchedPage, KnownPage } from "./frontier.js";
import { declaredFormat, formatOf, isPageType, mayBeRead } from "./page-format.js";
import { pageKey, siteOf } from "./page-key.js";
import type { PageReader } from "./page-reader.js";
import { type ReadBytesOptions, readBytes } from "./read-bytes.js";
import type { PageFacts } from "./read-page.js";
import type { Requests } from "./requests.js";
import { headerDirectives } from "./robots-directives.js";
import type { RobotsOfOrigins } from "./robots-of-origins.js";

/** What the site answers to a page's address. */
export type PageAnswer =
  | { readonly kind: "page"; readonly page: FetchedPage; readonly facts: PageFacts }
  | { readonly kind: "file"; readonly page: FetchedPage; readonly noindex: boolean }
  /** What is known of it still holds. */
  | { readonly kind: "unchanged" }
  /** To another page of the site; `forNow` as RFC 9110 has it of 302, 303 and 307: the address stays the page's own. */
  | { readonly kind: "moved"; readonly to: string; readonly forNow: boolean }
  /** `forNow` where the site may give the page again: it asks for other credentials, or redirects elsewhere for now. */
  | { readonly kind: "left_out"; readonly reason: LeftOutReason; readonly forNow?: boolean }
  | { readonly kind: "failed"; readonly message: string; readonly retryable: boolean };

export interface FetchPageOptions {
  readonly requests: Requests;
  readonly robots: RobotsOfOrigins;
  readonly reader: PageReader;
  readonly limits: CrawlLimits;
  /** Of the caller, besides the built-in ones. */
  readonly parsers: readonly Parser[];
  /** To ask whether the page has changed since. */
  readonly known: KnownPage | null;
  /**
   * Waits for a permit to hold more bytes than a page may have, and returns what gives it back. Each attempt takes its own and gives it
   * back when it has ended: an attempt that kept one would leave none for the next.
   */
  readonly takeLargeFile: () => Promise<() => void>;
  readonly signal: AbortSignal;
  /** Aborted with `signal`, and to end waits between requests: the call rejects with its reason then. */
  readonly waits: AbortSignal;
}

/** Redirects from one spelling of an address to another that are followed. */
const MAX_SPELLINGS = 5;

/** RFC 9110, sections 15.4.2 and 15.4.9. */
const FOR_GOOD = new Set([301, 308]);

/**
 * Asks the site for a page. Redirects between spellings of its address are followed; one to another page is an answer. Where the
 * robots.txt of its origin can't be had, the page fails. Rejects where the signal is aborted.
 *
 * @throws KnowledgeBaseError `provider_failed` and `deferred` where the site is to be left alone for now, whatever the page
 */
export async function fetchPage(address: string, options: FetchPageOptions): Promise<PageAnswer> {
  const { robots, requests, limits, known, signal, waits } = options;
  let url = address;
  for (let redirects = 0; redirects <= MAX_SPELLINGS; redirects++) {
    const answer = await answered(url, waits, async () => {
      const rules = await robots.of(new URL(url).origin, { signal, waits });
      if (!rules.allows(url)) return { kind: "left_out", reason: "robots" };
      const { delayMs } = rules;
      const request = {
        delayMs,
        headers: known?.url === url ? validators(known) : {},
        maxBytes: limits.maxFileBytes,
        isPage: true,
        signal,
        waits,
      };
      return requests.send(url, request, (response, leave) => new Answer(url, response, leave, options).read());
    });
    if (answer.kind !== "moved" || pageKey(answer.to) !== pageKey(address)) return outOfSite(answer, url);
    url = answer.to;
  }
  return { kind: "failed", message: `${address} redirects to itself.`, retryable: false };
}

/** The answer, and an error that is of this page alone as one. */
async function answered(url: string, waits: AbortSignal, send: () => Promise<PageAnswer>): Promise<PageAnswer> {
  try {
    return await send();
  } catch (error) {
    waits.throwIfAborted();
    if (!KnowledgeBaseError.is(error) || error.deferred) throw error;
    if (error.code === "limit_exceeded") return { kind: "left_out", reason: "too_large" };
    return { kind: "failed", message: `${url}: ${messageOf(error)}`, retryable: error.retryable };
  }
}

function outOfSite(answer: PageAnswer, from: string): PageAnswer {
  const leaves = answer.kind === "moved" && siteOf(new URL(answer.to)) !== siteOf(new URL(from));
  return leaves ? { kind: "left_out", reason: "outside", forNow: answer.forNow } : answer;
}

/** One response. */
class Answer {
  readonly #url: string;
  readonly #response: Response;
  /** Lets the next request begin. */
  readonly #leave: () => void;
  readonly #options: FetchPageOptions;

  constructor(url: string, response: Response, leave: () => void, options: FetchPageOptions) {
    this.#url = url;
    this.#response = response;
    this.#leave = leave;
    this.#options = options;
  }

  async read(): Promise<PageAnswer> {
    const { status } = this.#response;
    if (status === 304 && this.#options.known?.url === this.#url) return { kind: "unchanged" };
    if (status >= 300 && status < 400) return this.#redirect();
    if (status === 404 || status === 410) return { kind: "left_out", reason: "not_found" };
    if (status >= 400 && status < 500) return { kind: "left_out", reason: "forbidden", forNow: true };
    if (status === 200 || status === 203) return this.#content();
    const message = `The site answers ${status}.`;
    // A fault of the site's programs: asked again at once, it is the same.
    return { kind: "failed", message: `${this.#url}: ${message}`, retryable: status >= 500 };
  }

  #redirect(): PageAnswer {
    const location = this.#response.headers.get("location") ?? "";
    const to = URL.canParse(location, this.#url) ? new URL(location, this.#url) : null;
    if (location === "" || to === null || !/^https?:$/.test(to.protocol)) {
      return { kind: "failed", message: `${this.#url} redirects to what is no address of a page.`, retryable: false };
    }
    to.username = "";
    to.password = "";
    to.hash = "";
    return { kind: "moved", to: to.href, forNow: !FOR_GOOD.has(this.#response.status) };
  }

  async #content(): Promise<PageAnswer> {
    const { limits, parsers } = this.#options;
    const { headers } = this.#response;
    const name = fetchedFileName(headers.get("content-disposition"), this.#url);
    const declared = declaredFormat(headers.get("content-type"), name);
    if (!mayBeRead(declared, parsers)) return { kind: "left_out", reason: "not_document" };
    const isPage = isPageType(declared.mimeType);
    const maxBytes = isPage ? limits.maxPageBytes : limits.maxFileBytes;
    if (Number(headers.get("content-length")) > maxBytes) return { kind: "left_out", reason: "too_large" };
    const hash = createHash("sha256");
    const bytes = await this.#bytes({
      maxBytes,
      onPart: (part) => hash.update(part),
      totalMs: isPage ? limits.pageMs : limits.fileMs,
    });
    this.#leave();
    if (bytes.length === 0) return { kind: "left_out", reason: "empty" };
    const mimeType = formatOf(bytes, declared, parsers);
    if (mimeType === null) return { kind: "left_out", reason: "not_document" };
    const content = { bytes, mimeType, charset: declared.charset };
    const bytesHash = hash.update(`\n${mimeType}; charset=${declared.charset}`).digest("hex");
    return isPageType(mimeType)
      ? this.#page(content, bytesHash)
      : this.#file({ ...content, fileName: name }, bytesHash);
  }

  async #bytes(options: Omit<ReadBytesOptions, "turn">): Promise<Uint8Array> {
    const { limits, takeLargeFile } = this.#options;
    let giveBack = () => {};
    const wait = async () => {
      // What it waits for may be fetched by a request that waits for this one.
      this.#leave();
      giveBack = await takeLargeFile();
    };
    try {
      return await readBytes(this.#response, { ...options, turn: { freeBytes: limits.maxPageBytes, wait } });
    } finally {
      giveBack();
    }
  }

  async #page(content: Pick<FetchedPage, "bytes" | "mimeType" | "charset">, bytesHash: string): Promise<PageAnswer> {
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
    const facts = await this.#options.reader.read(received, this.#options.signal);
    const { title, description, language } = facts;
    // What a parser of the caller's makes of a page may depend on all of it.
    const isOurs = !this.#options.parsers.some((parser) => claims(parser, { ...content, name: null }));
    const contentHash = isOurs ? facts.contentHash : bytesHash;
    const site = siteOf(new URL(this.#url));
    const links = facts.links.filter((link) => siteOf(new URL(link)) === site);
    const own = { url: this.#url, fileName: null, title, description, language, contentHash, links };
    return { kind: "page", page: { ...content, ...own, ...this.#validators() }, facts };
  }

  #file(content: Pick<FetchedPage, "bytes" | "mimeType" | "charset" | "fileName">, contentHash: string): PageAnswer {
    const own = { url: this.#url, title: null, description: null, language: null, contentHash, links: [] };
    const { noindex } = headerDirectives(this.#response.headers.get("x-robots-tag"));
    return { kind: "file", page: { ...content, ...own, ...this.#validators() }, noindex };
  }

  #validators(): Pick<FetchedPage, "etag" | "lastModified"> {
    const { headers } = this.#response;
    return { etag: headers.get("etag"), lastModified: headers.get("last-modified") };
  }
}

function validators(known: KnownPage): Record<string, string> {
  return {
    ...(known.etag && { "if-none-match": known.etag }),
    ...(known.lastModified && { "if-modified-since": known.lastModified }),
  };
}
