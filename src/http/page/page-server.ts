import { clientAddress } from "../client-address.js";
import type { ResolvedHandlerOptions } from "../options.js";
import { readJson } from "../read-body.js";
import type { Call } from "../route.js";
import { CallCounter } from "./call-counter.js";
import { PageError } from "./page-error.js";
import type { ResolvedPageOptions } from "./page-options.js";
import type { PageAddresses } from "./render-page.js";
import { requireSameOrigin } from "./require-same-origin.js";
import { SignInCodes } from "./sign-in-codes.js";
import { openVisit, type Visit } from "./visit.js";

const MINUTE_MS = 60_000;
/** The window of the limits of signing in. */
const SIGN_IN_WINDOW_MS = 10 * MINUTE_MS;
/** How much more visitors may do together whose addresses aren't known. */
const SHARED_FACTOR = 10;
/** A conversation of 100 messages is smaller. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

const SIGN_IN_LIMITS = { codesPerEmail: 5, codesPerAddress: 20, triesPerAddress: 50 };

/** What the routes of the pages share: options, one-time codes and the counters of limits. */
export class PageServer {
  readonly options: ResolvedPageOptions;
  readonly codes = new SignInCodes();
  readonly #limits: ResolvedHandlerOptions["limits"];
  readonly #calls = new CallCounter(MINUTE_MS);
  readonly #signIns = new CallCounter(SIGN_IN_WINDOW_MS);

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
  limitSearches(visit: Visit): void {
    this.#limitCalls("search", visit, this.options.limits.searchesPerMinute);
  }

  /** @throws PageError `rate_limited` */
  limitQuestions(visit: Visit): void {
    this.#limitCalls("question", visit, this.options.limits.questionsPerMinute);
  }

  /** Limits are those of an address whether it is allowed or not. @throws PageError `rate_limited` */
  limitCodes(visit: Visit, email: string): void {
    const { slug } = visit.settings;
    this.#limitAddress(this.#signIns, ["code", slug], visit, SIGN_IN_LIMITS.codesPerAddress);
    this.#take(this.#signIns, ["code", slug, "email", email], SIGN_IN_LIMITS.codesPerEmail);
  }

  /** @throws PageError `rate_limited` */
  limitTries(visit: Visit): void {
    this.#limitAddress(this.#signIns, ["try", visit.settings.slug], visit, SIGN_IN_LIMITS.triesPerAddress);
  }

  #limitCalls(kind: string, visit: Visit, limit: number): void {
    const key = [kind, visit.settings.slug];
    if (visit.email === null) this.#limitAddress(this.#calls, key, visit, limit);
    else this.#take(this.#calls, [...key, "email", visit.email], limit);
  }

  #limitAddress(counter: CallCounter, key: readonly string[], { call }: Visit, limit: number): void {
    const address = clientAddress(call.request, this.options.proxies);
    if (address === null) this.#take(counter, [...key, "shared"], limit * SHARED_FACTOR);
    else this.#take(counter, [...key, "address", address], limit);
  }

  #take(counter: CallCounter, key: readonly string[], limit: number): void {
    const retryAfterSeconds = counter.take(JSON.stringify(key), limit);
    if (retryAfterSeconds > 0) throw new PageError("rate_limited", { retryAfterSeconds });
  }
}

/** Loaded with the first page. */
export function loadPageFiles() {
  return import("./page-files.js");
}
