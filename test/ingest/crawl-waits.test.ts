import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { smallSite } from "../support/small-site.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const HOUR = 60 * 60_000;

interface Task {
  readonly state: string;
  readonly attempt: number;
  readonly run_at: number;
}

it("waits for a site as long as it asks, more often than a job is tried, and loses no page", async () => {
  const waits = 9;
  let now = Date.UTC(2026, 0, 1);
  const asked: number[] = [];
  const site = await smallSite({ "/": { body: '<a href="/a">a</a> Lamps.' } }, (path) => {
    if (path !== "/a") return { status: 404 };
    asked.push(now);
    return asked.length <= waits ? { status: 503, headers: { "retry-after": "7200" } } : { body: "Oil lamps." };
  });
  const directory = temporaryDirectory();
  const kb = openKnowledgeBase({
    directory,
    worker: false,
    network: { allowPrivateHosts: [new URL(site.origin).host] },
    clock: () => new Date(now),
  });
  onTestFinished(() => kb.close());
  const space = await newNamespace(kb);
  const run = await space.ingest({ type: "CRAWL", url: site.origin, maxDepth: 2 });
  const db = new BetterSqlite3(join(directory, "lorebase.db"), { readonly: true });
  onTestFinished(() => void db.close());
  const task = () => db.prepare("SELECT state, attempt, run_at FROM tasks").get() as Task | undefined;
  const drained = kb.drain();
  for (let wait = 1; wait <= waits; wait++) {
    await expect.poll(task, { interval: 20, timeout: 10_000 }).toEqual({
      state: "ready",
      attempt: 0,
      run_at: now + 2 * HOUR,
    });
    now += 2 * HOUR;
  }
  await drained;
  expect(await run.done()).toMatchObject({
    status: "COMPLETED",
    counts: { documents: { total: 2, completed: 2, failed: 0 } },
  });
  expect(asked).toHaveLength(waits + 1);
});

it("gives up on a site that asks for ever, a day and eight attempts after the job was queued", async () => {
  let now = Date.UTC(2026, 0, 1);
  const site = await smallSite({ "/robots.txt": { status: 503, headers: { "retry-after": "86400" } } });
  const kb = openKnowledgeBase({
    worker: false,
    network: { allowPrivateHosts: [new URL(site.origin).host] },
    // Two days pass between two looks.
    clock: () => {
      now += 48 * HOUR;
      return new Date(now);
    },
  });
  onTestFinished(() => kb.close());
  const space = await newNamespace(kb);
  const run = await space.ingest({ type: "CRAWL", url: site.origin });
  await kb.drain();
  expect(await run.done()).toMatchObject({
    status: "FAILED",
    error: expect.stringMatching(/^Gave up after 8 attempts: .* asks to be left alone for 86400 s\.$/),
  });
  expect(site.count("/robots.txt")).toBe(8);
});
