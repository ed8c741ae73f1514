import { KnowledgeBase } from "lorebase";
import { afterAll, expect, it } from "vitest";
import { followJob } from "#dist/cli/follow-job.js";

// Without a worker, jobs stay queued until they are cancelled.
const kb = new KnowledgeBase({ directory: ":memory:", worker: false });
afterAll(() => kb.close());

it("Ctrl-C cancels the job that the command created, but not one that it skipped", async () => {
  await kb.namespaces.create({ name: "N", slug: "notes", embeddingConfig: { provider: "MANAGED_LEXICAL" } });
  const notes = kb.namespace("notes");
  const follow = (run: Awaited<ReturnType<typeof notes.ingest>>) =>
    followJob(notes, run, AbortSignal.abort(), () => {});
  const text = { type: "TEXT", text: "The lamp is lit." } as const;
  const made = await notes.ingest(text, { externalId: "lamp" });
  const skipped = await notes.ingest(text, { externalId: "lamp", onConflict: "skip" });
  await expect(follow(skipped)).rejects.toThrow("aborted");
  expect((await notes.ingestJobs.get(made.id)).status).toBe("QUEUED");

  const other = await notes.ingest(text);
  await expect(follow(other)).rejects.toThrow("aborted");
  expect((await notes.ingestJobs.get(other.id)).status).toBe("CANCELLED");
});
