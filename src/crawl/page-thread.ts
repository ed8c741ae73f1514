import { parentPort } from "node:worker_threads";
import type { ThreadTask } from "./page-reader.js";
import { readSitemap } from "./parse-sitemap.js";
import { readPage } from "./read-page.js";

// The worker thread of `PageReader`.
const port = parentPort!;
port.on("message", async ({ page, sitemap }: ThreadTask) =>
  port.postMessage(page ? await readPage(page) : await readSitemap(sitemap)),
);
