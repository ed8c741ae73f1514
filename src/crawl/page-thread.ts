import { parentPort } from "node:worker_threads";
import type { ThreadTask } from "./page-reader.js";
import { readPage } from "./read-page.js";
import { readSitemap } from "./read-sitemap.js";

// Pages and sitemaps are read here, one after the other: a large one takes its time.
const port = parentPort!;
port.on("message", async ({ page, sitemap }: ThreadTask) =>
  port.postMessage(page ? await readPage(page) : await readSitemap(sitemap)),
);
