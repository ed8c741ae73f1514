import { clientAddress } from "../client-address.js";
import type { ResolvedHandlerOptions } from "../options.js";
import { readJson } from "../read-body.js";
import type { Call } from "../route.js";
import { PageError } from "./page-error.js";
import type { ResolvedPageOptions } from "./page-options.js";
import type { PageAddresses } from "./render-page.js";
import { requireSameOrigin } from "./require-same-origin.js";
import { openVisit, type Visit } from "./visit.js";

const MINUTE_MS = 60_000;
/** The window of the limits of signing in. */
const SIGN_IN_MS = 10 * MINUTE_MS;
/** How much more visitors may do together whose addresses aren't known. */
const SHARED_FACTOR = 10;
/** A conversation of 100 messages is smaller. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

const SIGN_IN_LIMITS = { codesPerEmail: 5, codesPerAddress: 20, triesPerAddress: 50 };

/** What the routes of the pages share: options and limits. */
export class PageServer {
  readonly options: ResolvedPageOptions;
  readonly #limits: ResolvedHandlerOptions["limits"];

  constructor(options: ResolvedPageOptions, limits: ResolvedHandlerOptions["limits"]) {
    this.options = options;
    this.#limits = limits;
  }

  async addresses({ link }: Pick<Call, "link">): Promise<PageAddresses> {
    const { script, preloads, style } = await loadPageFiles();
    const pathOf = (file: string) => new URL(link(`/page-assets/${file}`)).pathname;
    return { script: pathOf(script), preloads: preloads.map(pathOf), style: pathOf(style) };
  }

  /** @throws PageError `not_found` for an unknown page, `sign_in_required` */
  async admit(call: Call): Promise<Visit> {
    const visit = await openVisit(call, this.options);
    if (!visit.isAdmitted) throw new PageError("sign_in_required");
    return visit;
  }

  /** The JSON body of a request that is not from another site. */
  async readBody({ call, url }: Visit): Promise<unknown> {
    requireSameOrigin(call.request, [url.host, call.url.host]);
    const maxBodyBytes = Math.min(this.#limits.maxBodyBytes, MAX_BODY_BYTES);
    return readJson(call.request, { ...this.#limits, maxBodyBytes });
  }

  /** @throws PageError `rate_limited` */
  async limitSearches(visit: Visit): Promise<void> {
    await this.#limitCalls("search", visit, this.options.limits.searchesPerMinute);
  }

  /** @throws PageError `rate_limited` */
  async limitQuestions(visit: Visit): Promise<void> {
    await this.#limitCalls("question", visit, this.options.limits.questionsPerMinute);
  }

  /** Limits are those of an address whether it is allowed or not. @throws PageError `rate_limited` */
  async limitCodes(visit: Visit, email: string): Promise<void> {
    const { slug } = visit.settings;
    await this.#limitAddress(["code", slug], visit, { limit: SIGN_IN_LIMITS.codesPerAddress, windowMs: SIGN_IN_MS });
    const limits = { limit: SIGN_IN_LIMITS.codesPerEmail, windowMs: SIGN_IN_MS };
    await this.#take(["code", slug, "email", email], visit, limits);
  }

  /** @throws PageError `rate_limited` */
  async limitTries(visit: Visit): Promise<void> {
    const limits = { limit: SIGN_IN_LIMITS.triesPerAddress, windowMs: SIGN_IN_MS };
    await this.#limitAddress(["try", visit.settings.slug], visit, limits);
  }

  async #limitCalls(kind: string, visit: Visit, limit: number): Promise<void> {
    const key = [kind, visit.settings.slug];
    const limits = { limit, windowMs: MINUTE_MS };
    if (visit.email === null) await this.#limitAddress(key, visit, limits);
    else await this.#take([...key, "email", visit.email], visit, limits);
  }

  async #limitAddress(key: readonly string[], visit: Visit, { limit, windowMs }: Limits): Promise<void> {
    const address = clientAddress(visit.call.request, this.options.proxies);
    if (address === null) await this.#take([...key, "shared"], visit, { limit: limit * SHARED_FACTOR, windowMs });
    else await this.#take([...key, "address", address], visit, { limit, windowMs });
  }

  async #take(key: readonly string[], { call }: Visit, limits: Limits): Promise<void> {
    const { isAllowed, resetMs } = await call.kb.countCall({ key: JSON.stringify(["page", ...key]), ...limits });
    if (!isAllowed) throw new PageError("rate_limited", { retryAfterSeconds: Math.ceil(resetMs / 1000) });
  }
}

interface Limits {
  readonly limit: number;
  readonly windowMs: number;
}

/** Loaded with the first page. */
export function loadPageFiles() {
  return import("./page-files.js");
}
