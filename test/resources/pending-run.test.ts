import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { IngestJob, IngestRun, PendingRun, SyncResult, SyncRun } from "lorebase";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { gateEmbedder } from "../support/gate.js";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

interface Page {
  readonly topic: string;
}

const gate = gateEmbedder();
const kb = openKnowledgeBase({ embedders: [providerOf(gate)] });
afterAll(() => kb.close());

const unhandled: unknown[] = [];
const listen = (error: unknown) => unhandled.push(error);
beforeAll(() => void process.on("unhandledRejection", listen));
afterAll(() => void process.off("unhandledRejection", listen));

const TEXT = { type: "TEXT", text: "The lamp is lit." } as const;
const BROKEN = { name: "broken.pdf", body: Buffer.from("%PDF-1.7 and nothing else") };

describe("what ingest returns", () => {
  it("gives the job at its end, or the run when awaited", async () => {
    const space = await newNamespace(kb);
    const job = await space.ingest(TEXT).done();
    expect(job.status).toBe("COMPLETED");
    const run = await space.ingest(TEXT);
    expect((await run.done()).id).toBe(run.id);
    expect((await space.ingestJobs.reingest(job.id).done()).status).toBe("COMPLETED");
  });

  it("rejects done() where the work is refused, and leaves no rejection unhandled", async () => {
    const error = await failureOf(() => kb.namespace("absent").ingest(TEXT).done());
    expect(error.code).toBe("not_found");
    const invalid = await failureOf(() => kb.namespace("absent").ingest({ type: "TEXT", text: "" }).done());
    expect(invalid.code).toBe("invalid_input");
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it("has the types of its run", () => {
    const pages = kb.namespace<Page>("pages");
    expectTypeOf(pages.ingest).returns.toEqualTypeOf<PendingRun<IngestRun<Page>>>();
    expectTypeOf<Awaited<ReturnType<typeof pages.ingest>>>().toEqualTypeOf<IngestRun<Page>>();
    expectTypeOf<PendingRun<IngestRun<Page>>["done"]>().returns.resolves.toEqualTypeOf<IngestJob<Page>>();
    expectTypeOf<PendingRun<SyncRun<Page>>["done"]>().returns.resolves.toEqualTypeOf<SyncResult<Page>>();
    expectTypeOf(pages.ingest).returns.toExtend<Promise<IngestRun<Page>>>();
  });
});

describe("throwOnFailure", () => {
  it("names the job, how many documents failed and the first reason", async () => {
    const space = await newNamespace(kb);
    const files = [{ name: "fine.txt", body: Buffer.from("Fine.") }, BROKEN];
    const run = await space.ingest({ files });
    const error = await failureOf(() => run.done({ throwOnFailure: true }));
    expect(error.code).toBe("ingest_failed");
    expect(error.message).toMatch(
      new RegExp(`^The ingest job ${run.id} is FAILED: 1 of 2 documents failed. First failure: "broken.pdf": .`),
    );
    expect((await run.done()).status).toBe("FAILED");
    const alone = await failureOf(() => space.ingest({ file: BROKEN }).done({ throwOnFailure: true }));
    expect(alone.message).toContain("1 of 1 documents failed: ");
  });

  it("gives the job where it has completed", async () => {
    const space = await newNamespace(kb);
    expect((await space.ingest(TEXT).done({ throwOnFailure: true })).status).toBe("COMPLETED");
  });

  it("fails for a job that was cancelled", async () => {
    const space = await newNamespace(kb, { embeddingConfig: { provider: "GATE" } });
    const run = await space.ingest(TEXT);
    await gate.arrival();
    await space.ingestJobs.cancel(run.id);
    gate.open();
    const error = await failureOf(() => run.done({ throwOnFailure: true }));
    expect([error.code, error.message]).toEqual(["ingest_failed", `The ingest job ${run.id} is CANCELLED`]);
  });

  it("fails for a sync whose files failed, and names the first", async () => {
    const dir = temporaryDirectory();
    writeFileSync(join(dir, "broken.pdf"), BROKEN.body);
    writeFileSync(join(dir, "fine.txt"), "Fine.");
    const space = await newNamespace(kb);
    const error = await failureOf(() => space.sync({ dir }).done({ throwOnFailure: true }));
    expect(error.code).toBe("ingest_failed");
    expect(error.message).toMatch(/^1 file in the folder failed to ingest\. First failure: "broken\.pdf": ./);
    expect((await space.sync({ dir }).done()).failed).toHaveLength(1);
  });

  it("refuses an option that there is not", async () => {
    const space = await newNamespace(kb);
    const run = await space.ingest(TEXT);
    const error = await failureOf(() => run.done({ throwOnFailure: "yes" } as never));
    expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", "throwOnFailure"]);
  });
});
