import { expect, it, onTestFinished } from "vitest";
import { queryDatabase, writeDatabase } from "../support/database.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { ON_POSTGRES } from "../support/postgres-directories.js";
import { smallSite } from "../support/small-site.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const HOUR = 60 * 60_000;

// In PostgreSQL, requests to a site wait by the server's clock, which goes on while the knowledge base's stands still.

/** Shortens the waits of requests. No crawl may run, since this thread would wait for its transaction. */
function letPass(ms: number, directory: string): void {
  const sql = "UPDATE crawled_sites SET next_start = next_start - ?";
  if (ON_POSTGRES) writeDatabase(directory, [{ sql, parameters: [ms] }]);
}

/** Shortens all later waits of requests. */
function letAlwaysPass(ms: number, directory: string): void {
  if (!ON_POSTGRES) return;
  writeDatabase(directory, [
    {
      sql: `CREATE FUNCTION earlier() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN NEW.next_start := NEW.next_start - ${ms}; RETURN NEW; END'`,
    },
    { sql: "CREATE TRIGGER earlier BEFORE INSERT OR UPDATE ON crawled_sites FOR EACH ROW EXECUTE FUNCTION earlier()" },
  ]);
}

interface Task {
  readonly state: string;
  readonly attempt: number;
  readonly run_at: number;
}

it("waits as long as a site asks without using up attempts, and loses no page", async () => {
  const waits = 9;
  let now = Date.UTC(2026, 0, 1);
  const asked: number[] = [];
  const site = await smallSite({}, (path) => {
    if (path === "/" && asked.length === 0) return { body: '<a href="/a">a</a> Lamps.' };
    if (path !== "/" && path !== "/a") return { status: 404 };
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
  const task = () => {
    const { state, attempt, run_at } = queryDatabase<Task>(directory, "SELECT state, attempt, run_at FROM tasks")[0]!;
    // Some of the server's time has passed since the site has asked to wait.
    return { state, attempt, wait: ON_POSTGRES ? Math.ceil((run_at - now) / HOUR) * HOUR : run_at - now };
  };
  const drained = kb.drain();
  for (let wait = 1; wait <= waits; wait++) {
    await expect.poll(task, { interval: 20 }).toEqual({ state: "ready", attempt: 0, wait: 2 * HOUR });
    letPass(2 * HOUR, directory);
    now += 2 * HOUR;
  }
  await drained;
  expect(await run.done()).toMatchObject({
    status: "COMPLETED",
    counts: { documents: { total: 2, completed: 2, failed: 0 } },
  });
  expect(new Set(asked).size).toBe(waits + 1);
});

it("fails for a site that always asks to wait, a day and eight attempts after the job was queued", async () => {
  let now = Date.UTC(2026, 0, 1);
  const site = await smallSite({ "/robots.txt": { status: 503, headers: { "retry-after": "86400" } } });
  const directory = temporaryDirectory();
  const kb = openKnowledgeBase({
    directory,
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
  letAlwaysPass(48 * HOUR, directory);
  const run = await space.ingest({ type: "CRAWL", url: site.origin });
  await kb.drain();
  expect(await run.done()).toMatchObject({
    status: "FAILED",
    error: expect.stringMatching(/^Gave up after 8 attempts: .* asks clients to wait 86400 s \(Retry-After\)\.$/),
  });
  expect(site.count("/robots.txt")).toBe(8);
});

it("fetches other pages before one that always asks to wait, which fails alone", async () => {
  let now = Date.UTC(2026, 0, 1);
  const names = ["x", "a", "b", "c", "d"];
  const pages = Object.fromEntries(names.map((name) => [`/${name}`, { title: name, body: `Lamps of ${name}.` }]));
  const links = names.map((name) => `<a href="/${name}">${name}</a>`).join(" ");
  const refusal = { status: 429, headers: { "retry-after": "31" } };
  const site = await smallSite({ ...pages, "/": { title: "Lamps", body: links }, "/x": refusal });
  const directory = temporaryDirectory();
  const kb = openKnowledgeBase({
    directory,
    worker: false,
    network: { allowPrivateHosts: [new URL(site.origin).host] },
    clock: () => new Date(now),
  });
  onTestFinished(() => kb.close());
  const warnings: string[] = [];
  kb.on("warning", ({ message }) => warnings.push(message));
  const space = await newNamespace(kb);
  const run = await space.ingest({ type: "CRAWL", url: site.origin });
  const dueAt = () =>
    queryDatabase<Task>(directory, "SELECT run_at FROM tasks WHERE state = 'ready' AND run_at > ?", now)[0]?.run_at;
  const drained = kb.drain();
  await expect.poll(dueAt, { interval: 20 }).toBe(now + 31_000);
  const { host } = new URL(site.origin);
  await expect
    .poll(() => warnings)
    .toEqual([
      `${host} asks clients to wait 31 s (Retry-After). ${run.id} waits and resumes at 2026-01-01T00:00:31.000Z.`,
    ]);
  const passing = setInterval(() => {
    const due = dueAt();
    if (due === undefined) return;
    letPass(due - now, directory);
    now = due;
  }, 20);
  onTestFinished(() => clearInterval(passing));
  await drained;
  expect(await run.done()).toMatchObject({
    status: "FAILED",
    error: expect.stringMatching(/^1 of 6 documents failed\. First failure: "\/x": .* HTTP status 429\.$/),
    counts: { documents: { total: 6, completed: 5, failed: 1 } },
  });
  expect(
    site.requests
      .map(({ path }) => path)
      .filter((path) => /^\/\w$/.test(path))
      .at(-1),
  ).toBe("/x");
});
