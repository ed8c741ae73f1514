import { type Embedder, KnowledgeBase, type Provider } from "lorebase";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { listener } from "../support/listener.js";

const config = z.strictObject({ provider: z.literal("REMOTE"), baseUrl: z.string() });

/** An embedder that asks the address of its configuration for its vectors. */
const remote: Provider<z.output<typeof config>, Embedder> = {
  provider: "REMOTE",
  config,
  create: async ({ baseUrl }, context) => ({
    provider: "REMOTE",
    model: "remote",
    dimensions: 2,
    maxInputTokens: 100,
    async embed(texts) {
      const vector = (await (await context.fetch(baseUrl)).json()) as number[];
      return texts.map(() => Float32Array.from(vector));
    },
    countTokens: async (texts) => texts.map((text) => text.length),
  }),
};

it("lets drivers call the private hosts of network.allowPrivateHosts, and no others", async () => {
  const server = await listener((_, out) => out.end("[0.6, 0.8]"));
  const host = `127.0.0.1:${server.port}`;
  const embeddingConfig = { provider: "REMOTE", baseUrl: `http://${host}/` };

  const closed = openKnowledgeBase({ embedders: [remote] });
  onTestFinished(() => closed.close());
  const strict = await newNamespace(closed, { embeddingConfig });
  const failed = await (await strict.ingest({ type: "TEXT", text: "A lamp." })).done();
  expect([failed.status, failed.error]).toEqual(["FAILED", expect.stringContaining("network.allowPrivateHosts")]);
  expect(server.hits).toBe(0);

  const open = openKnowledgeBase({ embedders: [remote], network: { allowPrivateHosts: [host] } });
  onTestFinished(() => open.close());
  const lenient = await newNamespace(open, { embeddingConfig });
  const done = await (await lenient.ingest({ type: "TEXT", text: "A lamp." })).done();
  expect(done.status).toBe("COMPLETED");
  expect(await lenient.search("a lamp", { mode: "semantic" })).toHaveLength(1);
  expect(server.hits).toBeGreaterThan(0);
});

it("refuses what is no host, and names it", async () => {
  const hosts = ["localhost", "https://example.com"];
  const error = await failureOf(() => new KnowledgeBase({ network: { allowPrivateHosts: hosts } }));
  expect(error.issues).toEqual([
    { field: "network.allowPrivateHosts[1]", message: expect.stringContaining('as in "localhost"') },
  ]);
});
