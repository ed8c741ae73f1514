import { inspect } from "node:util";
import type { KnowledgeBaseOptions } from "lorebase";
import { afterAll, describe, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { EMBEDDING_VENDORS, type EmbeddingVendor, KEY, providerAt } from "../support/vendors/hosted-embedders.js";
import type { ScriptedServer } from "../support/vendors/scripted-server.js";

const vendorNamed = (name: string) => EMBEDDING_VENDORS.find((vendor) => vendor.name === name)!;

async function withVendor(
  vendor: EmbeddingVendor,
  { key = KEY, ...options }: KnowledgeBaseOptions & { key?: string },
  test: (world: {
    kb: ReturnType<typeof openKnowledgeBase>;
    server: ScriptedServer;
    warnings: string[];
    create(config?: Record<string, unknown>): ReturnType<typeof newNamespace>;
  }) => Promise<void>,
): Promise<void> {
  const server = await vendor.serve(key);
  const kb = openKnowledgeBase({ embedders: [providerAt(vendor, server)], calls: { backoffMs: 1 }, ...options });
  const warnings: string[] = [];
  kb.on("warning", ({ message }) => void warnings.push(message));
  const create = (config: Record<string, unknown> = {}) =>
    newNamespace(kb, { embeddingConfig: { provider: vendor.name, ...vendor.config, ...config } });
  try {
    await test({ kb, server, warnings, create });
  } finally {
    await kb.close();
  }
}

describe.each(EMBEDDING_VENDORS)("a namespace of $name", (vendor) => {
  it("asks the vendor once for a vector, and is found by meaning", () =>
    withVendor(vendor, {}, async ({ server, warnings, create }) => {
      const handle = await create();
      expect(server.requests).toHaveLength(1);
      expect(warnings).toEqual([]);
      await (await handle.ingest({ type: "TEXT", text: "The lease ends in March." })).done();
      const hits = await handle.search("The lease ends in March.", { mode: "semantic" });
      expect(hits.map(({ text }) => text)).toEqual(["The lease ends in March."]);
    }));

  it("is refused with the vendor's reason, and without the key, where the vendor refuses it", () =>
    withVendor(vendor, { key: "another" }, async ({ kb, server, create }) => {
      const error = await failureOf(() => create());
      expect(error).toMatchObject({ code: "invalid_input", issues: [{ field: "embeddingConfig", reference: true }] });
      expect(error.message).toMatch(vendor.refused.message);
      expect(inspect(error, { depth: 9 })).not.toContain(KEY);
      expect(server.requests).toHaveLength(1);
      expect((await kb.namespaces.list()).items).toEqual([]);
    }));

  it("is created with a warning where the vendor can't be reached", () =>
    withVendor(vendor, {}, async ({ server, warnings, create }) => {
      server.failNext("refuse", 2);
      const handle = await create();
      expect(server.requests).toHaveLength(2);
      expect(warnings).toEqual([expect.stringMatching(/^The namespace's embedder could not be tested.*failed/)]);
      expect((await (await handle.ingest({ type: "TEXT", text: "Later." })).done()).status).toBe("COMPLETED");
    }));
});

describe("a model by a name that is not known here", () => {
  it.each([
    ["OPENAI", "text-embedding-4", 48],
    ["VOYAGE", "voyage-9", 96],
    ["GOOGLE", "gemini-embedding-9", 80],
  ])("of %s tells its dimensions at creation, once for all", (name, model, dimensions) =>
    withVendor(vendorNamed(name), {}, async ({ kb, server, create }) => {
      const handle = await create({ model, dimensions: undefined });
      expect((await kb.namespaces.get(handle.ref)).embeddingConfig).toMatchObject({
        model,
        nativeDimensions: dimensions,
      });
      const { create: open, config } = providerAt(vendorNamed(name), server);
      const calls = server.requests.length;
      const stored = { provider: name, ...vendorNamed(name).config, model, dimensions: undefined };
      const known = config.parse({ ...stored, nativeDimensions: dimensions });
      expect((await open(known, { modelsDirectory: "", fetch })).dimensions).toBe(dimensions);
      expect(server.requests).toHaveLength(calls);
      for (const { body } of server.requests) expect(JSON.stringify(body)).not.toMatch(/dimension/i);
    }),
  );

  it("is created without them where the vendor can't be reached, and asks when it is used", () =>
    withVendor(vendorNamed("OPENAI"), {}, async ({ server, warnings, create }) => {
      server.failNext("refuse", 2);
      const handle = await create({ model: "text-embedding-4", dimensions: undefined });
      expect(warnings).toHaveLength(1);
      await (await handle.ingest({ type: "TEXT", text: "Later." })).done();
      expect(await handle.search("Later.", { mode: "semantic" })).toHaveLength(1);
    }));

  it("is not kept from the vendor by addresses of others, where nothing answers", () =>
    withVendor(vendorNamed("OPENAI"), {}, async ({ kb, warnings, create }) => {
      const model = { model: "text-embedding-4", dimensions: undefined };
      for (let call = 0; call < 5; call++) await create({ ...model, baseUrl: "https://nowhere.test/v1" });
      expect(warnings).toHaveLength(6); // One of them of the address, which is left alone.
      await create(model);
      const { items } = await kb.namespaces.list({ order: "desc" });
      expect(items[0]!.embeddingConfig).toMatchObject({ nativeDimensions: expect.any(Number) });
      expect(warnings).toHaveLength(6);
    }));

  it("is refused where the vendor gives other dimensions than it is asked for", () =>
    withVendor(vendorNamed("OPENAI"), {}, async ({ server, create }) => {
      server.failNext(({ body, ...answer }) => {
        const { data, ...rest } = body as { data: { embedding: number[] }[] };
        return {
          ...answer,
          body: { ...rest, data: data.map((one) => ({ ...one, embedding: one.embedding.slice(2) })) },
        };
      });
      expect(await failureOf(() => create())).toMatchObject({
        code: "invalid_input",
        message: expect.stringContaining("a vector of 30 dimensions instead of 32"),
      });
    }));
});

describe("a configuration", () => {
  const kb = openKnowledgeBase();
  afterAll(() => kb.close());
  it.each([
    [{ provider: "OPENAI" }, /apiKey: must be an API key/],
    [{ provider: "OPENAI", apiKey: `${KEY}\n` }, /apiKey: must be an API key/],
    [{ provider: "OPENAI", apiKey: KEY, model: "text-embedding-3-small", dimensions: 1537 }, /at most 1536.*not 1537/],
    [{ provider: "OPENAI", apiKey: KEY, model: "text-embedding-ada-002", dimensions: 512 }, /must be 1536.*not 512/],
    [{ provider: "OPENAI", apiKey: KEY, baseUrl: "ftp://x" }, /baseUrl: must be an http or https URL/],
    [{ provider: "OPENAI", apiKey: KEY, baseUrl: "https://a:b@x.test" }, /must not contain credentials/],
    [{ provider: "OPENAI", apiKey: KEY, dimension: 512 }, /unknown key "dimension"; did you mean "dimensions"\?/],
    [{ provider: "VOYAGE", apiKey: KEY, model: "voyage-3-large", dimensions: 300 }, /one of 2048, 1024, 512, 256/],
    [{ provider: "VOYAGE", apiKey: KEY, model: "../v2/x?y" }, /model: must be a model name/],
    [{ provider: "GOOGLE", apiKey: KEY, dimensions: 4000 }, /at most 3072/],
    [{ provider: "AZURE_OPENAI", apiKey: KEY, deployment: "d", resourceName: "evil.test/#" }, /resourceName: must be/],
    [
      { provider: "AZURE_OPENAI", apiKey: KEY, deployment: "d", resourceName: "r", apiVersion: "2" },
      /apiVersion: must be/,
    ],
    [{ provider: "MANAGED_OPENAI" }, /needs the engine option managed.openai: \{ apiKey \}/],
  ])("is refused before anything is called: %o", async (embeddingConfig, message) => {
    const error = await failureOf(() => kb.namespaces.create({ name: "N", slug: "nn", embeddingConfig }));
    expect(error.code).toBe("invalid_input");
    expect(error.message).toMatch(message);
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
  });

  it("may be in snake case, and of an older Azure interface", () =>
    withVendor(vendorNamed("AZURE_OPENAI"), {}, async ({ kb, server }) => {
      const embeddingConfig = {
        ...{ provider: "AZURE_OPENAI", model: "text-embedding-3-small", resource_name: "acme" },
        ...{ deployment: "text-embedding-3-small", api_key: KEY, api_version: "2024-10-21" },
      };
      await newNamespace(kb, { embeddingConfig });
      expect(server.requests[0]).toMatchObject({ path: "/openai/deployments/text-embedding-3-small/embeddings" });
    }));

  it("takes the second generation's task from the text", () =>
    withVendor(vendorNamed("GOOGLE"), {}, async ({ server, create }) => {
      const handle = await create({ model: "gemini-embedding-2" });
      await (await handle.ingest({ type: "TEXT", text: "Apples." })).done();
      await handle.search("pears", { mode: "semantic" });
      const sent = server.requests.map(({ body }) => (body.content ?? body.requests[0].content).parts[0].text);
      expect(sent.slice(1)).toEqual(["title: none | text: Apples.", "task: search result | query: pears"]);
    }));
});
