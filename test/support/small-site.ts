import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface SmallPage {
  readonly status?: number;
  readonly title?: string;
  /** Within `<head>`. */
  readonly head?: string;
  readonly body?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** @default true */
  readonly etag?: boolean;
  /** All of it, instead of a page. */
  readonly raw?: Buffer;
}

export interface SmallSite {
  readonly origin: string;
  /** By path; may be changed. */
  readonly pages: Record<string, SmallPage>;
  /** May be emptied. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage["headers"]; readonly status: number }[];
  count(path: string): number;
  /** How many requests had that status, robots.txt and sitemaps apart. */
  answered(status: number): number;
}

/** A site of a few pages on 127.0.0.1, each with an `ETag`; it ends with its test. */
export async function smallSite(
  pages: Record<string, SmallPage>,
  otherwise?: (path: string) => SmallPage,
): Promise<SmallSite> {
  const requests: SmallSite["requests"] = [];
  const server = createServer((request, response) => {
    const path = request.url!;
    const isPage = !/^\/(?:robots\.txt|sitemap)/.test(path);
    const page = pages[path] ?? (isPage ? otherwise?.(path) : undefined) ?? { status: 404 };
    const {
      status = 200,
      title,
      head = "",
      body = "",
      type = "text/html; charset=utf-8",
      headers = {},
      raw,
      etag: isTagged = true,
    } = page;
    const titled = title === undefined ? "" : `<title>${title}</title>`;
    const bytes =
      raw ??
      Buffer.from(`<!doctype html><html lang="en"><head>${titled}${head}</head><body><p>${body}</p></body></html>`);
    const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
    const isKnown = isTagged && status === 200 && request.headers["if-none-match"] === etag;
    requests.push({ path, headers: request.headers, status: isKnown ? 304 : status });
    if (isKnown) response.writeHead(304, { etag }).end();
    else
      response
        .writeHead(status, { "content-type": type, ...headers, ...(isTagged && status === 200 && { etag }) })
        .end(bytes);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    requests,
    count: (path) => requests.filter((request) => request.path === path).length,
    answered: (status) =>
      requests.filter((request) => request.status === status && !/^\/(?:robots\.txt|sitemap)/.test(request.path))
        .length,
  };
}
