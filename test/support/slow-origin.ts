import type { ServerResponse } from "node:http";
import { vi } from "vitest";
import { listener } from "./listener.js";

export interface SlowOrigin {
  readonly url: string;
  readonly host: string;
  /** Requests that it has been sent. */
  readonly asked: number;
  /** Those that wait for the rest of their answer and whose connections are open. */
  readonly open: number;
  /** Waits until so many of them stand at the gate. */
  standing(count: number): Promise<void>;
  /** Answers everything, from here on at once. */
  finish(): void;
}

/** A server that answers each request with headers and a byte of text, and with the rest only when a test says so. */
export async function slowOrigin(text = "A lamp burns oil."): Promise<SlowOrigin> {
  const standing = new Set<ServerResponse>();
  let asked = 0;
  let isFinished = false;
  const { port } = await listener((request, out) => {
    // A crawl's questions about the site as a whole are not what is waited for.
    if (/^\/(?:robots\.txt|sitemap)/.test(request.url!)) return void out.writeHead(404).end();
    asked++;
    out.writeHead(200, { "content-type": "text/plain" });
    if (isFinished) return void out.end(text);
    out.write(text.slice(0, 1));
    standing.add(out);
    out.on("close", () => standing.delete(out));
  });
  return {
    url: `http://127.0.0.1:${port}/lamp.txt`,
    host: `127.0.0.1:${port}`,
    get asked() {
      return asked;
    },
    get open() {
      return standing.size;
    },
    standing: (count) =>
      vi.waitUntil(() => standing.size === count, { interval: 5, timeout: 20_000 }).then(() => undefined),
    finish() {
      isFinished = true;
      for (const out of standing) out.end(text.slice(1));
    },
  };
}
