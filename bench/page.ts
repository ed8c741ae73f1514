import { gzipSync } from "node:zlib";
import { KnowledgeBase } from "lorebase";
import { serve } from "lorebase/http";
import { type Browser, chromium, type Page } from "playwright-core";
import { CHUNKS, fillNamespace, makeQueries } from "./fill-namespace.js";

const LOADS = 20;
const QUERIES = 50;
const WARM_UP = 5;

/**
 * Measures what a visitor of a hosted page waits for, in Chromium: the first load with an empty cache, the results of a
 * search as you type over 100,000 chunks, and the first sentence of an extractive answer, in milliseconds.
 */
export async function benchPage(log: (line: string) => void) {
  const kb = new KnowledgeBase({ directory: ":memory:" });
  const texts = await fillNamespace(kb, "MANAGED_STATIC", log);
  const { slug } = await kb.namespace("bench").hosting.enable({ protected: false, slug: "bench", topK: 10 });
  const limits = { searchesPerMinute: 100_000, questionsPerMinute: 100_000 };
  const server = await serve(kb, { port: 0, page: { limits } });
  const url = `${server.url}/h/${slug}`;
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  try {
    const firstLoad = await measureLoads(browser, url);
    log("first loads measured");
    const queries = makeQueries(texts, WARM_UP + QUERIES);
    const page = await browser.newPage();
    await page.goto(url);
    const inProcess = await measureEach(queries, async (query) => {
      await kb.search("bench", query, { topK: 10 });
    });
    const search = await measureEach(queries, (query) => waitForResults(page, query));
    log("searches measured");
    await page.getByRole("tab", { name: "Ask" }).click();
    const answer = await measureEach(queries, (query) => waitForAnswer(page, `What is ${query}?`));
    return { chunks: CHUNKS, firstLoad, searchInProcess: inProcess, searchAsYouType: search, firstSentence: answer };
  } finally {
    await browser.close();
    await server.close();
    await kb.close();
  }
}

/** With an empty cache each, until the visitor can type. */
async function measureLoads(browser: Browser, url: string) {
  const [paints, ready, bytes] = [[] as number[], [] as number[], [] as number[]];
  for (let load = 0; load < WARM_UP + LOADS; load++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    let transferred = 0;
    page.on("response", async (response) => {
      transferred += gzipSync(await response.body()).length;
    });
    const started = performance.now();
    await page.goto(url);
    await page.getByRole("textbox", { name: "Question" }).waitFor();
    const elapsed = performance.now() - started;
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0);
    if (load >= WARM_UP) {
      paints.push(paint);
      ready.push(elapsed);
      bytes.push(transferred);
    }
    await context.close();
  }
  return { firstContentfulPaint: summary(paints), ready: summary(ready), gzipBytes: Math.max(...bytes) };
}

/** From the last key to the results, with the pause after it in which no further key comes. */
async function waitForResults(page: Page, query: string): Promise<void> {
  await page.getByRole("tab", { name: "Search" }).click();
  const field = page.getByRole("searchbox");
  const searched = page.waitForResponse((response) => response.url().includes("/search?"));
  await field.fill(query);
  await (await searched).finished();
  await page.locator('.results[aria-busy="false"] :is(.passages, .nothing)').waitFor();
}

/** From the key that sends the question to the text of the answer. */
async function waitForAnswer(page: Page, question: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Question" });
  const answers = await page.locator(".answer .prose").count();
  await field.fill(question);
  await field.press("Enter");
  await page.locator(".answer .prose").nth(answers).waitFor();
}

async function measureEach(queries: readonly string[], run: (query: string) => Promise<void>) {
  const times: number[] = [];
  for (const query of queries) {
    const started = performance.now();
    await run(query);
    times.push(performance.now() - started);
  }
  return summary(times.slice(WARM_UP));
}

function summary(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}
