import type { Embedder, Provider } from "lorebase";
import { fakeEmbedder } from "lorebase/testing";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { failureOf, ingestTexts, LEXICAL, openKnowledgeBase } from "../support/knowledge-base.js";
import { ON_POSTGRES } from "../support/postgres-directories.js";

const keyed: Provider<{ provider: string; apiKey: string }, Embedder> = {
  provider: "KEYED",
  config: z.strictObject({ provider: z.literal("KEYED"), apiKey: z.string() }),
  create: async () => fakeEmbedder({ provider: "KEYED" }),
};
const kb = openKnowledgeBase({ embedders: [keyed] });
afterAll(() => kb.close());
const { namespaces } = kb;

it("is created with its configurations and read by id or slug, of any case", async () => {
  const made = await namespaces.create({ name: "Handbook", slug: "Hand-Book_1" });
  expect(made).toEqual({
    id: expect.stringMatching(/^ns_[0-9a-f]{32}$/),
    name: "Handbook",
    slug: "Hand-Book_1",
    organizationId: "org_default",
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    embeddingConfig: { provider: "MANAGED_LEXICAL", model: "hash-1024" },
    vectorStoreConfig: { provider: "MANAGED_SQLITE_VEC" },
    vectorSet: 0,
  });
  for (const ref of [made.id, "Hand-Book_1", "hand-book_1"]) expect(await namespaces.get(ref)).toEqual(made);
});

it.each(["ab", "A-b", "a_1", "-_", "a".repeat(48), "nsa"])("takes the slug %s", async (slug) => {
  expect((await namespaces.create({ name: "n", slug })).slug).toBe(slug);
});

it.each(["a", "a".repeat(49), "a b", "a.b", "é1", "a/b", "ns_x", "NS_x", ""])("refuses the slug %j", async (slug) => {
  const error = await failureOf(() => namespaces.create({ name: "n", slug }));
  expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", "slug"]);
});

it("takes names of 1 to 64 characters", async () => {
  const { id } = await namespaces.create({ name: "x".repeat(64), slug: "long-name" });
  for (const name of ["", "x".repeat(65)]) {
    expect((await failureOf(() => namespaces.create({ name, slug: "named" }))).issues[0]!.field).toBe("name");
    expect((await failureOf(() => namespaces.update(id, { name }))).issues[0]!.field).toBe("name");
  }
});

it("has a slug that no other has, whatever the case, until it is deleted", async () => {
  const first = await namespaces.create({ name: "First", slug: "Taken" });
  const second = await namespaces.create({ name: "Second", slug: "free-one" });
  for (const call of [
    () => namespaces.create({ name: "n", slug: "taken" }),
    () => namespaces.update(second.id, { slug: "TAKEN" }),
  ]) {
    expect((await failureOf(call)).code).toBe("conflict");
  }
  expect((await namespaces.update(first.id, { slug: "taken" })).slug).toBe("taken");
  const deleted = await namespaces.delete("taken");
  expect(deleted.id).toBe(first.id);
  expect((await namespaces.update(second.id, { slug: "TAKEN" })).slug).toBe("TAKEN");
  const other = kb.organization((await kb.organizations.create({ name: "Other" })).id);
  expect((await other.namespaces.create({ name: "n", slug: "taken" })).slug).toBe("taken");
});

it("changes name and slug, and nothing where nothing is asked", async () => {
  const made = await namespaces.create({ name: "Before", slug: "before" });
  expect(await namespaces.update("before", {})).toEqual(made);
  const after = await namespaces.update("before", { name: "After", slug: "after" });
  expect(after).toEqual({ ...made, name: "After", slug: "after" });
  expect(await namespaces.get(made.id)).toEqual(after);
  expect((await failureOf(() => namespaces.get("before"))).code).toBe("not_found");
  const change = { embeddingConfig: LEXICAL } as object;
  expect((await failureOf(() => namespaces.update(made.id, change))).code).toBe("invalid_input");
});

it("is gone from every read and search at once, with all that it held", async () => {
  const { id } = await namespaces.create({ name: "Doomed", slug: "doomed" });
  const handle = kb.namespace(id);
  const job = await ingestTexts(handle, ["a lamp"]);
  await handle.hosting.enable();
  await namespaces.delete(id);
  for (const call of [
    () => namespaces.get(id),
    () => namespaces.delete(id),
    () => handle.search("lamp"),
    () => handle.ingestJobs.get(job),
    () => handle.hosting.get(),
    () => handle.ingest({ type: "TEXT", text: "more" }),
  ]) {
    expect((await failureOf(call)).code).toBe("not_found");
  }
  const again = await namespaces.create({ name: "Again", slug: "doomed" });
  expect(await kb.namespace("doomed").search("lamp")).toEqual([]);
  await kb.drain();
  expect(await namespaces.get("doomed")).toEqual(again);
  const listed: string[] = [];
  for await (const namespace of namespaces.iterate({ perPage: 3 })) listed.push(namespace.id);
  expect(listed).toContain(again.id);
  expect(listed).not.toContain(id);
});

it("names the providers that there are", async () => {
  const create = (configs: object) => failureOf(() => namespaces.create({ name: "n", slug: "provided", ...configs }));
  const mistyped = await create({ embeddingConfig: { provider: "MANAGED_LEXICL" } });
  expect([mistyped.code, mistyped.issues[0]!.field]).toEqual(["invalid_input", "embeddingConfig.provider"]);
  expect(mistyped.message).toContain("did you mean MANAGED_LEXICAL?");
  expect((await create({ vectorStoreConfig: { provider: "NOWHERE" } })).message).toContain("MANAGED_SQLITE_VEC");
  if (!ON_POSTGRES) {
    const pgvector = await create({ vectorStoreConfig: { provider: "MANAGED_PGVECTOR" } });
    expect(pgvector.code).toBe("unsupported");
    expect(pgvector.message).toContain(
      "needs a PostgreSQL database: the option database, or managed.pgvector: { url }",
    );
  }
  const incomplete = await create({ vectorStoreConfig: { provider: "PINECONE", api_key: "k" } });
  expect([incomplete.code, incomplete.issues[0]!.field]).toEqual(["invalid_input", "vectorStoreConfig.indexHost"]);
  const extra = await create({ embeddingConfig: { ...LEXICAL, modle: "hash-1024" } });
  expect(extra.issues[0]!.field).toMatch(/^embeddingConfig/);
  expect(extra.message).toContain('did you mean "model"?');
});

it("leaves keys out that no provider knows, where it is told to", async () => {
  const input = {
    name: "Tolerant",
    slug: "tolerant",
    embeddingConfig: { ...LEXICAL, region: "eu", task_type: "x" },
    vectorStoreConfig: { provider: "MANAGED_SQLITE_VEC", indexHost: "h" },
  };
  for (const options of [{}, { unknownKeys: "refuse" as const }])
    expect((await failureOf(() => namespaces.create(input, options))).code).toBe("invalid_input");
  const made = await namespaces.create(input, { unknownKeys: "ignore" });
  expect(made.embeddingConfig).toEqual({ provider: "MANAGED_LEXICAL", model: "hash-1024" });
  expect(made.vectorStoreConfig).toEqual({ provider: "MANAGED_SQLITE_VEC" });
  const wrong = await failureOf(() => namespaces.create(input, { unknownKeys: "drop" as "ignore" }));
  expect([wrong.code, wrong.issues[0]!.field]).toEqual(["invalid_input", "unknownKeys"]);
});

it("takes snake case for camel case in configurations", async () => {
  const create = (slug: string, config: object) =>
    namespaces.create({ name: "n", slug, embeddingConfig: { provider: "KEYED", ...config } });
  expect((await create("snake", { api_key: "k" })).embeddingConfig).toEqual({ provider: "KEYED", apiKey: "k" });
  expect((await failureOf(() => create("both", { api_key: "k", apiKey: "k" }))).message).toContain('"api_key"');
  expect((await failureOf(() => create("other", { api_kye: "k" }))).code).toBe("invalid_input");
});
