import { expect, it, onTestFinished, vi } from "vitest";
import { Crawl } from "#dist/crawl/crawl.js";
import { readBody } from "#dist/crawl/read-body.js";
import { Semaphore } from "#dist/util/semaphore.js";
import { guarded } from "../support/guarded.js";
import { listener } from "../support/listener.js";
import { quickClock } from "../support/quick-clock.js";
import { TestFrontier } from "../support/test-frontier.js";

const MB = 1024 * 1024;

/** A site with a file of 3 MB whose transfer breaks off after 2 MB, the first `times` times. */
async function brokenSite(times: number) {
  let asked = 0;
  const site = await listener((request, out) => {
    if (request.url === "/")
      return void out.writeHead(200, { "content-type": "text/html" }).end(`<a href="/big.txt">Big</a>`);
    if (request.url !== "/big.txt") return void out.writeHead(404).end();
    out.writeHead(200, { "content-type": "text/plain", "content-length": 3 * MB });
    if (asked++ < times) out.write("a".repeat(2 * MB), () => out.socket!.destroySoon());
    else out.end("a".repeat(3 * MB));
  });
  return {
    start: `http://127.0.0.1:${site.port}/`,
    get asked() {
      return asked;
    },
  };
}

function crawlOf(start: string, largeFileSlots: Semaphore) {
  const frontier = new TestFrontier();
  const fetch = guarded({ allowPrivateHosts: ["127.0.0.1"] });
  const crawl = new Crawl({
    start,
    frontier,
    fetch,
    clock: quickClock(),
    largeFileSlots,
    limits: { maxPageBytes: MB },
  });
  return { frontier, crawl };
}

it.each([1, 2])("a large file that breaks off each time fails, and releases its slots (%i in all)", async (count) => {
  const site = await brokenSite(Number.POSITIVE_INFINITY);
  const largeFileSlots = new Semaphore(count);
  const { crawl } = crawlOf(site.start, largeFileSlots);
  const { counts } = await crawl.run();
  expect(counts.failed + counts.pending).toBe(1);
  expect(site.asked % 3).toBe(0);
  for (let taken = 0; taken < count; taken++) await largeFileSlots.acquire({ signal: AbortSignal.timeout(0) });
});

it("a large file that breaks off twice is read by the third request", async () => {
  const site = await brokenSite(2);
  const { crawl, frontier } = crawlOf(site.start, new Semaphore(1));
  await crawl.run();
  expect(site.asked).toBe(3);
  expect(frontier.documents()).toContain(`${site.start}big.txt`);
});

it("the wait for a slot doesn't count as reading time", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const parts = async function* () {
    yield Buffer.from("first ");
    yield Buffer.from("second ");
    await vi.advanceTimersByTimeAsync(900);
    yield Buffer.from("third");
  };
  const response = new Response(ReadableStream.from(parts()) as ReadableStream<Uint8Array>);
  const wait = () => vi.advanceTimersByTimeAsync(60_000).then(() => undefined);
  const bytes = await readBody(response, { maxBytes: 100, maxMs: 1000, largeBody: { thresholdBytes: 10, wait } });
  expect(Buffer.from(bytes).toString()).toBe("first second third");
});

it("the time before and after the wait counts together", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const parts = async function* () {
    await vi.advanceTimersByTimeAsync(600);
    yield Buffer.from("first second ");
    await vi.advanceTimersByTimeAsync(600);
    yield Buffer.from("third");
  };
  const response = new Response(ReadableStream.from(parts()) as ReadableStream<Uint8Array>);
  const reading = readBody(response, {
    maxBytes: 100,
    maxMs: 1000,
    largeBody: { thresholdBytes: 10, wait: async () => {} },
  });
  await expect(reading).rejects.toThrow("Reading the response timed out after 1 s.");
});
