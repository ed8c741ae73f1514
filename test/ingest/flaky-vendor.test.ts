import { expect, it } from "vitest";
import { openAiProvider } from "#dist/embedders/openai/provider.js";
import { seededRandom } from "../campaigns/random.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { EMBEDDING_VENDORS, KEY, providerAt } from "../support/vendors/hosted-embedders.js";
import type { Fault, VendorRequest } from "../support/vendors/scripted-server.js";

const DOCUMENTS = 1000;
const TEXTS = Array.from({ length: DOCUMENTS }, (_, index) => `Document ${index} of many.`);
const FAULTS: readonly Fault[] = [
  { status: 429, body: { error: { message: "slow down" } }, headers: { "retry-after-ms": "1" } },
  { status: 500, body: { error: { message: "on our side" } } },
  "reset",
  "malformed",
  "refuse",
];

it("ingests a thousand documents through a vendor that fails one call in five", { timeout: 120_000 }, async () => {
  const vendor = EMBEDDING_VENDORS.find(({ provider }) => provider === openAiProvider)!;
  const server = await vendor.serve(KEY);
  const random = seededRandom(20_261_122);
  const failed = new Set<VendorRequest>();
  const kb = openKnowledgeBase({
    embedders: [providerAt(vendor, server)],
    calls: { attempts: 8, backoffMs: 1 },
  });
  const outcomes: string[] = [];
  kb.on("provider.call", ({ outcome }) => void outcomes.push(outcome));
  try {
    const handle = await newNamespace(kb, { embeddingConfig: { provider: vendor.name, ...vendor.config } });
    server.failWhen((request) => {
      if (random.next() >= 0.2) return undefined;
      failed.add(request);
      return random.pick(FAULTS);
    });
    const items = TEXTS.map((text) => ({ type: "TEXT" as const, text }));
    const job = await (await handle.ingest({ type: "BATCH", items })).done();
    expect(job).toMatchObject({
      status: "COMPLETED",
      counts: { documents: { total: DOCUMENTS, completed: DOCUMENTS, failed: 0 } },
    });

    const statuses = new Map<string, number>();
    for await (const { status } of handle.documents.iterate({ perPage: 100 }))
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    expect([...statuses]).toEqual([["COMPLETED", DOCUMENTS]]);

    // A text goes out again only with a call that failed; what was answered is not asked again.
    const answered = server.requests.filter((request) => !failed.has(request));
    const embedded = answered.flatMap(({ body }) => body.input as string[]).filter((text) => text !== "trial");
    expect(embedded.toSorted()).toEqual(TEXTS.toSorted());
    expect(failed.size).toBeGreaterThan(10);
    expect(new Set(outcomes)).toEqual(new Set(["ok"]));

    server.failWhen(() => undefined);
    const found = await handle.search("Document 7 of many.", { mode: "semantic", topK: 100 });
    expect(found[0]).toMatchObject({ text: "Document 7 of many.", score: expect.closeTo(1, 5) });
    expect(new Set(found.map(({ id }) => id)).size).toBe(100);
    expect(new Set(found.map(({ text }) => text)).size).toBe(100);
  } finally {
    await kb.close();
  }
});
