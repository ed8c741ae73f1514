import { expect, it, onTestFinished } from "vitest";
import { gateEmbedder } from "../support/gate.js";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { providerOf } from "../support/providers.js";

it("completes one organization's jobs while another has fifty queued before them", async () => {
  const gate = gateEmbedder();
  const kb = openKnowledgeBase({
    embedders: [providerOf(gate)],
    defaultEmbedding: { provider: "GATE" },
    worker: { concurrency: 1, documents: 1 },
  });
  onTestFinished(() => kb.close());
  const spaces = [];
  for (const id of ["org_big", "org_small"]) {
    await kb.organizations.create({ id, name: id });
    spaces.push(await newNamespace(kb.organization(id)));
  }
  const [big, small] = spaces as [(typeof spaces)[0], (typeof spaces)[0]];
  const texts = (name: string) => [1, 2].map((part) => ({ type: "TEXT" as const, text: `${name} part ${part}` }));
  for (let job = 1; job <= 50; job++) await big.ingest({ type: "BATCH", items: texts(`big ${job}`) });
  // The first big job is under way before a small one is there.
  const order = [await gate.arrival()];
  const runs = [
    await small.ingest({ type: "TEXT", text: "small 1" }),
    await small.ingest({ type: "TEXT", text: "small 2" }),
  ];
  while (order.filter(([text]) => text!.startsWith("small")).length < 2) {
    gate.open();
    order.push(await gate.arrival());
  }
  gate.openForAll();
  expect((await Promise.all(runs.map((run) => run.done()))).map(({ status }) => status)).toEqual([
    "COMPLETED",
    "COMPLETED",
  ]);
  // One job of each in turn: at most one big job of two documents before each small one, after the one that was under way.
  expect(order.length).toBeLessThanOrEqual(6);
});
