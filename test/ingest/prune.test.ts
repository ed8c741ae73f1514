import { expect, it, onTestFinished } from "vitest";
import { prune } from "#dist/ingest/prune.js";
import { openEngine } from "../support/open-engine.js";
import { begin, CAPACITY, claim, NAMESPACE, newJob, ORGANIZATION } from "../support/stored-documents.js";

const DAY_MS = 24 * 60 * 60_000;

it("removes events once the option's days have passed by the given clock", async () => {
  let now = DAY_MS;
  const opened = await openEngine({ retention: { eventDays: 2 }, clock: () => new Date(now) });
  onTestFinished(() => opened.close());
  const { engine, storage } = opened;
  await storage.organizations.create(ORGANIZATION);
  await storage.namespaces.create({ namespace: NAMESPACE as never, sealed: [] });
  await storage.jobs.create(newJob("job"));
  const { lease } = (await claim(storage, "one", now))!;
  await begin(storage, lease, "job");
  await storage.jobs.finish({ lease, jobId: "job", organizationId: "org", capacity: CAPACITY, now });
  const count = async () => (await storage.events.getJobProgress({ jobId: "job", after: 0 })).events.length;
  const before = await count();
  now += 2 * DAY_MS;
  await prune(engine, new AbortController().signal);
  expect(await count()).toBe(before);
  now += 1;
  await prune(engine, new AbortController().signal);
  expect(await count()).toBe(1);
});
