import { manualClock } from "lorebase/testing";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const clock = manualClock();
const kb = openKnowledgeBase({ clock: () => new Date(clock.now()) });
afterAll(() => kb.close());

it("is not there until it is enabled, and then has its defaults", async () => {
  const { hosting, ref } = await newNamespace(kb);
  expect((await failureOf(() => hosting.get())).code).toBe("not_found");
  expect((await failureOf(() => hosting.update({ title: "T" }))).code).toBe("not_found");
  const namespace = await kb.namespaces.get(ref);
  const enabled = await hosting.enable();
  const now = new Date(clock.now()).toISOString();
  expect(enabled).toEqual({
    namespaceId: ref,
    title: namespace.name,
    slug: expect.stringMatching(new RegExp(`^${namespace.slug}-[0-9a-f]{8}$`)),
    logo: null,
    ogTitle: null,
    ogDescription: null,
    ogImage: null,
    systemPrompt: null,
    exampleQuestions: [],
    exampleSearchQueries: [],
    welcomeMessage: null,
    citationMetadataPath: null,
    searchEnabled: true,
    rerankConfig: { model: null, limit: 15 },
    llmConfig: { model: null },
    topK: 50,
    protected: true,
    allowedEmails: [],
    allowedEmailDomains: [],
    url: `/h/${enabled.slug}`,
    createdAt: now,
    updatedAt: now,
  });
  expect(await hosting.get()).toEqual(enabled);
  expect((await failureOf(() => hosting.enable())).code).toBe("conflict");
});

it("changes what a patch names, flat or nested, and its time only then", async () => {
  const { hosting } = await newNamespace(kb);
  const before = await hosting.enable({ title: "Mine", rerankLimit: 5 });
  expect(before.rerankConfig).toEqual({ model: null, limit: 5 });
  await clock.advance(1_000);
  expect(await hosting.update({})).toEqual(before);
  expect(await hosting.update({ title: "Mine" })).toEqual(before);
  const flat = await hosting.update({ rerankModel: "cohere:rerank-v3.5", llmModel: "gpt", topK: 7 });
  expect(flat).toEqual({
    ...before,
    rerankConfig: { model: "cohere:rerank-v3.5", limit: 5 },
    llmConfig: { model: "gpt" },
    topK: 7,
    updatedAt: new Date(clock.now()).toISOString(),
  });
  expect(flat.updatedAt).not.toBe(before.updatedAt);
  const nested = await hosting.update({ rerankConfig: { model: null, limit: 9 }, allowedEmails: ["a@example.com"] });
  expect(nested.rerankConfig).toEqual({ model: null, limit: 9 });
  expect(await hosting.get()).toEqual(nested);
});

it("has a slug of its own among all", async () => {
  const [one, two] = [await newNamespace(kb), await newNamespace(kb)];
  await one.hosting.enable({ slug: "my-page" });
  expect((await failureOf(() => two.hosting.enable({ slug: "my-page" }))).code).toBe("conflict");
  await two.hosting.enable();
  expect((await failureOf(() => two.hosting.update({ slug: "my-page" }))).code).toBe("conflict");
  await one.hosting.disable();
  expect((await two.hosting.update({ slug: "my-page" })).slug).toBe("my-page");
});

it("is forgotten when it is disabled", async () => {
  const { hosting } = await newNamespace(kb);
  const enabled = await hosting.enable({ title: "Gone soon" });
  expect(await hosting.disable()).toEqual(enabled);
  expect((await failureOf(() => hosting.get())).code).toBe("not_found");
  expect((await failureOf(() => hosting.disable())).code).toBe("not_found");
  expect((await hosting.enable()).title).not.toBe("Gone soon");
});

it.each<[string, object]>([
  ["ogTitle", { ogTitle: "x".repeat(71) }],
  ["ogDescription", { ogDescription: "x".repeat(201) }],
  ["exampleQuestions", { exampleQuestions: ["1", "2", "3", "4", "5"] }],
  ["exampleSearchQueries", { exampleSearchQueries: ["1", "2", "3", "4", "5"] }],
  ["allowedEmails[0]", { allowedEmails: ["no address"] }],
  ["allowedEmailDomains[0]", { allowedEmailDomains: ["@example.com"] }],
  ["logo", { logo: "javascript:alert(1)" }],
  ["topK", { topK: 101 }],
  ["rerankConfig", { rerankConfig: { model: null, limit: 5, limt: 5 } }],
])("refuses a bad %s", async (field, patch) => {
  const { hosting } = await newNamespace(kb);
  await hosting.enable();
  const error = await failureOf(() => hosting.update(patch));
  expect([error.code, error.issues[0]!.field]).toEqual(["invalid_input", field]);
});

it("names the setting that a mistyped one most likely means", async () => {
  const { hosting } = await newNamespace(kb);
  expect((await failureOf(() => hosting.enable({ rerankModle: "x" } as object))).message).toContain('"rerankModel"');
});

it("keeps what two patches at once change", async () => {
  const { hosting } = await newNamespace(kb);
  await hosting.enable();
  await Promise.all([
    hosting.update({ title: "Both" }),
    hosting.update({ welcomeMessage: "Hello" }),
    hosting.update({ topK: 7 }),
  ]);
  expect(await hosting.get()).toMatchObject({ title: "Both", welcomeMessage: "Hello", topK: 7 });
});

it("has a URL below publicUrl that follows the slug", async () => {
  const served = openKnowledgeBase({ publicUrl: "https://example.com/kb/" });
  onTestFinished(() => served.close());
  const { hosting } = await newNamespace(served);
  expect((await hosting.enable({ slug: "first" })).url).toBe("https://example.com/kb/h/first");
  expect((await hosting.update({ slug: "second" })).url).toBe("https://example.com/kb/h/second");
  expect((await served.hostedPage("second"))?.settings.url).toBe("https://example.com/kb/h/second");
});

describe("a hosted page", () => {
  it("is found by its slug, in any organization", async () => {
    const { id } = await kb.organizations.create({ name: "Other" });
    for (const organization of [kb.organization("org_default"), kb.organization(id)]) {
      const { ref, hosting } = await newNamespace(organization);
      const settings = await hosting.enable();
      const page = await kb.hostedPage(settings.slug);
      expect(page).toMatchObject({ settings, organizationId: organization.id });
      expect(page?.namespace.ref).toBe(ref);
      expect(await page?.namespace.hosting.get()).toEqual(settings);
    }
  });

  it("follows its slug, and is gone when it is disabled", async () => {
    const { hosting, ref } = await newNamespace(kb);
    await hosting.enable({ slug: "before" });
    await hosting.update({ slug: "after" });
    expect(await kb.hostedPage("before")).toBeNull();
    expect(await kb.hostedPage("AFTER")).toBeNull();
    expect((await kb.hostedPage("after"))?.namespace.ref).toBe(ref);
    await hosting.disable();
    expect(await kb.hostedPage("after")).toBeNull();
  });

  it("is gone at once with its namespace, and leaves its slug to others", async () => {
    const idle = openKnowledgeBase({ worker: false });
    onTestFinished(() => idle.close());
    const [one, two] = [await newNamespace(idle), await newNamespace(idle)];
    await one.hosting.enable({ slug: "handbook" });
    await idle.namespaces.delete(one.ref);
    expect(await idle.hostedPage("handbook")).toBeNull();
    await two.hosting.enable({ slug: "handbook" });
    expect((await idle.hostedPage("handbook"))?.namespace.ref).toBe(two.ref);
    await idle.drain();
    expect((await idle.hostedPage("handbook"))?.namespace.ref).toBe(two.ref);
  });
});
