import { expect, it, onTestFinished } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { listener } from "../support/listener.js";

it("a file is not fetched before its Retry-After, even if others of its job are", async () => {
  let now = Date.UTC(2026, 0, 1);
  const asked: Record<string, number[]> = { "/a.txt": [], "/b.txt": [] };
  const { port } = await listener(({ url }, out) => {
    const times = asked[url!]!;
    times.push(now);
    if (url === "/a.txt" && times.length === 1) out.writeHead(429, { "retry-after": "150" }).end();
    else if (url === "/b.txt" && times.length <= 2) out.writeHead(503).end();
    else out.end("A lamp burns oil.");
  });
  const kb = openKnowledgeBase({
    directory: ":memory:",
    worker: false,
    network: { allowPrivateHosts: ["127.0.0.1"] },
    clock: () => {
      now += 500;
      return new Date(now);
    },
  });
  onTestFinished(() => kb.close());
  const space = await newNamespace(kb);
  const items = Object.keys(asked).map((path) => ({
    type: "FILE" as const,
    fileUrl: `http://127.0.0.1:${port}${path}`,
  }));
  const run = await space.ingest({ type: "BATCH", items });
  const passing = setInterval(() => {
    now += 1000;
  }, 10);
  onTestFinished(() => clearInterval(passing));
  await kb.drain();
  expect((await run.done()).counts.documents).toEqual({ total: 2, completed: 2, failed: 0 });
  const [first, second] = asked["/a.txt"]!;
  expect(second! - first!).toBeGreaterThanOrEqual(150_000);
  expect(asked["/a.txt"]).toHaveLength(2);
  expect(asked["/b.txt"]).toHaveLength(3);
  expect(asked["/b.txt"]![2]!).toBeLessThan(second!);
});
