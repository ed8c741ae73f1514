import type { GuardedFetch } from "../../../src/net/guarded-fetch.js";
import type { SiteAnswer } from "./site-pages.js";

interface PaperRequest {
  readonly url: string;
  readonly headers: Headers;
}

/** Of an address; each of a list once, the last one for ever. An error is thrown. */
export type PaperAnswer = string | SiteAnswer | Error | readonly (string | SiteAnswer | Error)[];

export interface PaperSites {
  readonly fetch: GuardedFetch;
  readonly requests: readonly PaperRequest[];
  /** How often an address was asked for. */
  count(url: string): number;
}

/** Sites of any name that need no network: a page of HTML for each address, and 404 for others. */
export function paperSites(answers: Readonly<Record<string, PaperAnswer>>): PaperSites {
  const requests: PaperRequest[] = [];
  const count = (url: string) => requests.filter((asked) => asked.url === url).length;
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = String(input);
    init.signal?.throwIfAborted();
    requests.push({ url, headers: new Headers(init.headers) });
    const given = answers[url] ?? { status: 404 };
    const answer = Array.isArray(given) ? given[Math.min(count(url), given.length) - 1] : given;
    if (answer instanceof Error) throw answer;
    const {
      status = 200,
      type = "text/html",
      headers = {},
      body = "",
    } = typeof answer === "string" ? { body: answer } : answer;
    const bytes = status === 304 || body === "" ? null : Buffer.from(body as string);
    return new Response(bytes, { status, headers: { "content-type": type, ...headers } });
  };
  return { fetch: Object.assign(fetch, { close: async () => {} }), requests, count };
}
