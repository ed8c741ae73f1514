import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { html } from "./html.js";
import { type SiteAnswer, sitePages } from "./site-pages.js";

/** What a site was asked. */
interface SiteRequest {
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
}

export interface TestSite {
  /** As in `http://127.0.0.1:4000`. */
  readonly origin: string;
  readonly port: number;
  /** Addresses of the documents that a crawl of {@link SITE_DEPTH} brings, sorted. */
  readonly documents: readonly string[];
  /** In the order in which they came. */
  readonly requests: readonly SiteRequest[];
  /** Bytes of bodies that were written so far. */
  readonly written: number;
  /** How often a path and query were asked for. */
  count(path: string): number;
  /** Answers otherwise from now on; `null` as before. */
  set(path: string, answer: SiteAnswer | null): void;
  close(): Promise<void>;
}

const HUGE = 1024 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, "<p>The tide comes and goes. </p>");

/**
 * A site of 200 documents on 127.0.0.1, with all that makes crawling hard: see `site-pages.ts`. Pages have an `ETag`, and unknown ones are
 * answered with 200 below `/shop` and everywhere else but where the site says 404 or 410.
 */
export async function startSite(): Promise<TestSite> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const { answers, documents } = await sitePages(origin, `http://127.0.0.1:${port === 65535 ? 1 : port + 1}`);
  const requests: SiteRequest[] = [];
  const changed = new Map<string, SiteAnswer>();
  let written = 0;

  const send = (
    request: IncomingMessage,
    response: ServerResponse,
    { status = 200, type, headers, body = "" }: SiteAnswer,
  ) => {
    const bytes = Buffer.from(body as string);
    const etag = `"${bytes.length}-${bytes.reduce((sum, byte) => (sum * 31 + byte) >>> 0, 0)}"`;
    if (status === 200 && request.headers["if-none-match"] === etag) return response.writeHead(304, { etag }).end();
    written += bytes.length;
    response.writeHead(status, { "content-type": type ?? "text/html", ...(status === 200 && { etag }), ...headers });
    response.end(bytes);
  };

  /** Writes until the other side has had enough. */
  const pour = (response: ServerResponse) => {
    let left = HUGE;
    const more = () => {
      while (left > 0 && !response.destroyed) {
        left -= PIECE.length;
        written += PIECE.length;
        if (!response.write(PIECE)) return;
      }
      response.end();
    };
    response.on("drain", more);
    more();
  };

  const generated = (path: string, request: IncomingMessage, response: ServerResponse): boolean => {
    const url = new URL(path, origin);
    const number = Number(url.searchParams.get("month") ?? url.searchParams.get("sid") ?? 0);
    const page = (title: string, links: string[], status = 200) =>
      send(request, response, { status, body: html({ title, links }) });
    if (url.pathname === "/traps/calendar") page(`Month ${number}`, [`?month=${number + 1}`, `?month=${number - 1}`]);
    else if (url.pathname === "/traps/session")
      page(
        "Your visit",
        [1, 2, 3].map((n) => `?sid=${number * 3 + n}`),
      );
    else if (url.pathname === "/traps/list") page("Sorted", []);
    else if (/^\/traps\/(?:loop\/)+$/.test(url.pathname)) page(`Level ${url.pathname.length}`, ["loop/"]);
    else if (path === "/heavy/silent") response.writeHead(200, { "content-type": "text/html" }).flushHeaders();
    else if (path === "/heavy/slow") {
      response.writeHead(200, { "content-type": "text/html" });
      const drip = setInterval(() => response.write("<p>Slow. </p>"), 20);
      response.on("close", () => clearInterval(drip));
    } else if (path === "/heavy/huge") {
      response.writeHead(200, { "content-type": "text/html" });
      pour(response);
    } else if (path === "/heavy/huge.pdf") {
      response.writeHead(200, { "content-type": "application/pdf", "content-length": HUGE });
      pour(response);
    } else if (path === "/odd/flaky") {
      const isFirst = requests.filter((asked) => asked.path === path).length === 1;
      if (isFirst) send(request, response, { status: 503, headers: { "retry-after": "1" } });
      else page("Flaky", []);
    } else return false;
    return true;
  };

  server.on("request", (request, response) => {
    const path = request.url!;
    requests.push({ path, headers: request.headers });
    const known = changed.get(path) ?? answers.get(path);
    if (known) send(request, response, known);
    else if (!generated(path, request, response)) {
      const isPlace = path.startsWith("/sitemap");
      const lost = {
        title: "The harbour museum",
        body: `<p>We looked everywhere for ${path}, and there is nothing like it.</p>`,
      };
      send(request, response, { status: isPlace ? 404 : 200, body: html(lost) });
    }
  });

  return {
    origin,
    port,
    documents: documents.map((path) => origin + path),
    requests,
    get written() {
      return written;
    },
    count: (path) => requests.filter((asked) => asked.path === path).length,
    set: (path, answer) => (answer === null ? changed.delete(path) : changed.set(path, answer)),
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
