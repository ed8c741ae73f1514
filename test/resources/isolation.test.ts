import type { KnowledgeBase, NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureOf, ingestTexts, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());

/** Reads what a call gives, to its end. */
async function consume(iterable: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of iterable) {
    // Only whether it fails matters.
  }
}

const absent = (id: string) => `${id.slice(0, id.indexOf("_") + 1)}${"0".repeat(32)}`;

/** A foreign id must read like one that never existed, but for the id itself. */
async function expectHidden(call: (id: string) => unknown, id: string): Promise<void> {
  const foreign = await failureOf(() => call(id));
  const never = await failureOf(() => call(absent(id)));
  expect(foreign.code).toBe("not_found");
  expect(foreign.code).toBe(never.code);
  expect(foreign.message.replaceAll(id, "ID")).toBe(never.message.replaceAll(absent(id), "ID"));
}

type View = ReturnType<KnowledgeBase["organization"]>;
const FEEDBACK = { question: "Where is the harbour?", answer: "Behind the cliff.", rating: "up" } as const;
const GOLDEN = { question: "Where is the harbour?", answers: [{ contains: "cliff" }] };
const FILE = { fileName: "a.txt", contentType: "text/plain", fileSize: 5 };

describe("another organization's", () => {
  let mine: View;
  let theirs: NamespaceHandle;
  let ids: Record<"namespace" | "slug" | "job" | "document" | "key" | "upload" | "feedback" | "golden", string>;
  beforeAll(async () => {
    mine = kb.organization((await kb.organizations.create({ name: "Mine" })).id);
    const owner = kb.organization((await kb.organizations.create({ name: "Theirs" })).id);
    theirs = await newNamespace(owner);
    const job = await ingestTexts(theirs, ["Their secret harbour."]);
    await theirs.hosting.enable();
    const [document] = (await theirs.documents.list()).items;
    const { id: namespace, slug } = await owner.namespaces.get(theirs.ref);
    const key = (await owner.apiKeys.create({ name: "Key", scope: "read" })).id;
    const upload = (await theirs.uploads.put({ fileName: "a.txt", body: Buffer.from("hello") })).key;
    const feedback = (await theirs.feedback.add(FEEDBACK)).id;
    const golden = (await theirs.goldenQuestions.add(GOLDEN)).id;
    ids = { namespace, slug, job, document: document!.id, key, upload, feedback, golden };
  });

  it.each<[string, (view: View, namespace: string) => unknown]>([
    ["namespaces.get", (view, ns) => view.namespaces.get(ns)],
    ["namespaces.update", (view, ns) => view.namespaces.update(ns, { name: "Taken over" })],
    ["namespaces.delete", (view, ns) => view.namespaces.delete(ns)],
    ["namespaces.deleteTenant", (view, ns) => view.namespaces.deleteTenant(ns, "acme")],
    ["namespaces.warmUp", (view, ns) => view.namespaces.warmUp(ns)],
    ["ingestJobs.create", (view, ns) => view.ingestJobs.create(ns, { payload: { type: "TEXT", text: "x" } })],
    ["ingestJobs.get", (view, ns) => view.ingestJobs.get(ns, ids.job)],
    ["ingestJobs.list", (view, ns) => view.ingestJobs.list(ns)],
    ["ingestJobs.iterate", (view, ns) => consume(view.ingestJobs.iterate(ns))],
    ["ingestJobs.watch", (view, ns) => view.ingestJobs.watch(ns, ids.job)],
    ["ingestJobs.reingest", (view, ns) => view.ingestJobs.reingest(ns, ids.job)],
    ["ingestJobs.cancel", (view, ns) => view.ingestJobs.cancel(ns, ids.job)],
    ["ingestJobs.delete", (view, ns) => view.ingestJobs.delete(ns, ids.job)],
    ["documents.get", (view, ns) => view.documents.get(ns, ids.document)],
    ["documents.list", (view, ns) => view.documents.list(ns)],
    ["documents.iterate", (view, ns) => consume(view.documents.iterate(ns))],
    ["documents.chunks", (view, ns) => consume(view.documents.chunks(ns, ids.document))],
    ["documents.file", (view, ns) => view.documents.file(ns, ids.document)],
    ["documents.chunksDownloadUrl", (view, ns) => view.documents.chunksDownloadUrl(ns, ids.document)],
    ["documents.fileDownloadUrl", (view, ns) => view.documents.fileDownloadUrl(ns, ids.document)],
    ["documents.delete", (view, ns) => view.documents.delete(ns, ids.document)],
    ["uploads.create", (view, ns) => view.uploads.create(ns, FILE)],
    ["uploads.createBatch", (view, ns) => view.uploads.createBatch(ns, [FILE])],
    ["uploads.put", (view, ns) => view.uploads.put(ns, { fileName: "a.txt", body: Buffer.from("x") })],
    ["feedback.add", (view, ns) => view.feedback.add(ns, FEEDBACK)],
    ["feedback.list", (view, ns) => view.feedback.list(ns)],
    ["feedback.iterate", (view, ns) => consume(view.feedback.iterate(ns))],
    ["feedback.delete", (view, ns) => view.feedback.delete(ns, ids.feedback)],
    ["clicks.add", (view, ns) => view.clicks.add(ns, { question: "x", chunkId: "doc_1#0" })],
    ["clicks.list", (view, ns) => view.clicks.list(ns)],
    ["clicks.delete", (view, ns) => view.clicks.delete(ns, ids.golden)],
    ["goldenGuard.get", (view, ns) => view.namespace(ns).goldenGuard.get()],
    ["goldenGuard.set", (view, ns) => view.namespace(ns).goldenGuard.set()],
    ["goldenGuard.delete", (view, ns) => view.namespace(ns).goldenGuard.delete()],
    ["evaluations.run", (view, ns) => view.namespace(ns).evaluations.run()],
    ["evaluations.list", (view, ns) => view.namespace(ns).evaluations.list()],
    ["evaluations.get", (view, ns) => view.namespace(ns).evaluations.get("eval_1")],
    ["fromFeedback", (view, ns) => view.namespace(ns).goldenQuestions.fromFeedback()],
    ["fromClicks", (view, ns) => view.namespace(ns).goldenQuestions.fromClicks()],
    ["generate", (view, ns) => view.namespace(ns).goldenQuestions.generate()],
    ["goldenQuestions.add", (view, ns) => view.goldenQuestions.add(ns, GOLDEN)],
    ["goldenQuestions.import", (view, ns) => view.goldenQuestions.import(ns, [GOLDEN])],
    ["goldenQuestions.list", (view, ns) => view.goldenQuestions.list(ns)],
    ["goldenQuestions.iterate", (view, ns) => consume(view.goldenQuestions.iterate(ns))],
    ["goldenQuestions.get", (view, ns) => view.goldenQuestions.get(ns, ids.golden)],
    ["goldenQuestions.update", (view, ns) => view.goldenQuestions.update(ns, ids.golden, { status: "disabled" })],
    ["goldenQuestions.delete", (view, ns) => view.goldenQuestions.delete(ns, ids.golden)],
    ["hosting.get", (view, ns) => view.hosting.get(ns)],
    ["hosting.enable", (view, ns) => view.hosting.enable(ns)],
    ["hosting.update", (view, ns) => view.hosting.update(ns, { title: "Taken over" })],
    ["hosting.disable", (view, ns) => view.hosting.disable(ns)],
    ["search", (view, ns) => view.namespace(ns).search("harbour")],
    ["ingest", (view, ns) => view.namespace(ns).ingest({ type: "TEXT", text: "x" })],
    ["a tenant's search", (view, ns) => view.namespace(ns).tenant("acme").search("harbour")],
  ])("namespace does not exist for %s", async (_, call) => {
    await expectHidden((ns) => call(mine, ns), ids.namespace);
    const error = await failureOf(() => call(mine, ids.slug));
    expect(error.message.replaceAll(ids.slug, "X")).toBe(
      (await failureOf(() => call(mine, "no-such-slug"))).message.replaceAll("no-such-slug", "X"),
    );
  });

  it.each<[string, (view: View, own: string) => (id: string) => unknown, "job" | "document" | "feedback" | "golden"]>([
    ["ingestJobs.get", (view, own) => (id) => view.ingestJobs.get(own, id), "job"],
    ["ingestJobs.watch", (view, own) => (id) => view.ingestJobs.watch(own, id), "job"],
    ["ingestJobs.reingest", (view, own) => (id) => view.ingestJobs.reingest(own, id), "job"],
    ["ingestJobs.cancel", (view, own) => (id) => view.ingestJobs.cancel(own, id), "job"],
    ["ingestJobs.delete", (view, own) => (id) => view.ingestJobs.delete(own, id), "job"],
    ["documents.get", (view, own) => (id) => view.documents.get(own, id), "document"],
    ["documents.chunks", (view, own) => (id) => consume(view.documents.chunks(own, id)), "document"],
    ["documents.file", (view, own) => (id) => view.documents.file(own, id), "document"],
    ["documents.chunksDownloadUrl", (view, own) => (id) => view.documents.chunksDownloadUrl(own, id), "document"],
    ["documents.fileDownloadUrl", (view, own) => (id) => view.documents.fileDownloadUrl(own, id), "document"],
    ["documents.delete", (view, own) => (id) => view.documents.delete(own, id), "document"],
    ["feedback.delete", (view, own) => (id) => view.feedback.delete(own, id), "feedback"],
    ["goldenQuestions.get", (view, own) => (id) => view.goldenQuestions.get(own, id), "golden"],
    ["goldenQuestions.update", (view, own) => (id) => view.goldenQuestions.update(own, id, {}), "golden"],
    ["goldenQuestions.delete", (view, own) => (id) => view.goldenQuestions.delete(own, id), "golden"],
  ])("records do not exist in a namespace of one's own: %s", async (_, call, kind) => {
    const own = await newNamespace(mine);
    await expectHidden(call(mine, own.ref), ids[kind]);
  });

  it("keys, uploads and job filters are no more than names", async () => {
    for (const call of [
      (id: string) => mine.apiKeys.get(id),
      (id: string) => mine.apiKeys.update(id, { name: "Mine now" }),
      (id: string) => mine.apiKeys.delete(id),
    ])
      await expectHidden(call, ids.key);
    const own = await newNamespace(mine);
    const never = `${ids.namespace}/${"0".repeat(32)}`;
    const use = (key: string) => failureOf(() => own.ingest({ type: "MANAGED_FILE", key }));
    expect((await use(ids.upload)).code).toBe("invalid_input");
    expect((await use(ids.upload)).message).toContain("File not found");
    expect((await use(ids.upload)).message.replaceAll(ids.upload, "K")).toBe(
      (await use(never)).message.replaceAll(never, "K"),
    );
    expect((await own.feedback.list()).items).toEqual([]);
    expect((await own.documents.list({ ingestJobId: ids.job })).items).toEqual([]);
    expect((await mine.namespaces.list()).items.map(({ organizationId }) => organizationId)).not.toContain(
      "org_default",
    );
    expect((await mine.apiKeys.list()).items).toEqual([]);
  });

  it("content is left as it was", async () => {
    expect((await theirs.search("secret harbour")).length).toBe(1);
    expect((await theirs.documents.list()).items).toHaveLength(1);
    expect((await theirs.hosting.get()).title).toMatch(/^Space/);
    expect((await theirs.feedback.list()).items.map(({ id }) => id)).toEqual([ids.feedback]);
    expect((await theirs.goldenQuestions.list()).items).toMatchObject([{ id: ids.golden, status: "active" }]);
  });
});

describe("a tenant", () => {
  let namespace: NamespaceHandle;
  const jobs: Record<string, string> = {};
  const documents: Record<string, string> = {};
  const feedback: Record<string, string> = {};
  const golden: Record<string, string> = {};
  beforeAll(async () => {
    namespace = await newNamespace(kb);
    for (const tenant of ["acme", "Acme", ""]) {
      const handle = tenant === "" ? namespace : namespace.tenant(tenant);
      jobs[tenant] = await ingestTexts(handle, [`The harbour of ${tenant || "everyone"}.`]);
      feedback[tenant] = (await handle.feedback.add(FEEDBACK)).id;
      golden[tenant] = (await handle.goldenQuestions.add(GOLDEN)).id;
      documents[tenant] = (await namespace.documents.list({ ingestJobId: jobs[tenant] })).items[0]!.id;
    }
  });

  it("finds its own content only, and the default partition is one of its own", async () => {
    for (const mode of ["semantic", "keyword", "hybrid"] as const) {
      for (const tenant of ["acme", "Acme", ""]) {
        const handle = tenant === "" ? namespace : namespace.tenant(tenant);
        const hits = await handle.search("harbour", { mode });
        expect(hits.map(({ metadata }) => metadata?.documentId)).toEqual([documents[tenant]]);
        expect(hits[0]!.metadata?.tenantId).toBe(tenant || undefined);
      }
      expect(await namespace.tenant("nobody").search("harbour", { mode })).toEqual([]);
    }
  });

  it("cannot filter its way out", async () => {
    const filter = { $or: [{ tenantId: "Acme" }, { tenantId: { $exists: false } }, { documentId: documents.Acme! }] };
    for (const mode of ["semantic", "keyword", "hybrid"] as const)
      expect(await namespace.tenant("acme").search("harbour", { mode, filter })).toEqual([]);
  });

  it.each<[string, (handle: NamespaceHandle) => (id: string) => unknown, Record<string, string>]>([
    ["jobs.get", (handle) => (id) => handle.ingestJobs.get(id), jobs],
    ["jobs.watch", (handle) => (id) => handle.ingestJobs.watch(id), jobs],
    ["jobs.reingest", (handle) => (id) => handle.ingestJobs.reingest(id), jobs],
    ["jobs.cancel", (handle) => (id) => handle.ingestJobs.cancel(id), jobs],
    ["jobs.delete", (handle) => (id) => handle.ingestJobs.delete(id), jobs],
    ["documents.get", (handle) => (id) => handle.documents.get(id), documents],
    ["documents.chunks", (handle) => (id) => consume(handle.documents.chunks(id)), documents],
    ["documents.file", (handle) => (id) => handle.documents.file(id), documents],
    ["documents.chunksDownloadUrl", (handle) => (id) => handle.documents.chunksDownloadUrl(id), documents],
    ["documents.fileDownloadUrl", (handle) => (id) => handle.documents.fileDownloadUrl(id), documents],
    ["documents.delete", (handle) => (id) => handle.documents.delete(id), documents],
    ["feedback.delete", (handle) => (id) => handle.feedback.delete(id), feedback],
    ["goldenQuestions.get", (handle) => (id) => handle.goldenQuestions.get(id), golden],
    ["goldenQuestions.update", (handle) => (id) => handle.goldenQuestions.update(id, {}), golden],
    ["goldenQuestions.delete", (handle) => (id) => handle.goldenQuestions.delete(id), golden],
  ])("does not reach another's records: %s", async (_, call, ids) => {
    for (const other of ["Acme", ""]) await expectHidden(call(namespace.tenant("acme")), ids[other]!);
  });

  it("lists its own records, where the owner of the namespace lists all", async () => {
    const own = namespace.tenant("acme");
    expect((await own.ingestJobs.list()).items.map(({ id }) => id)).toEqual([jobs.acme]);
    expect((await own.documents.list()).items.map(({ id, tenantId }) => [id, tenantId])).toEqual([
      [documents.acme, "acme"],
    ]);
    expect((await own.documents.list({ ingestJobId: jobs.Acme })).items).toEqual([]);
    expect((await own.feedback.list()).items.map(({ id, tenantId }) => [id, tenantId])).toEqual([
      [feedback.acme, "acme"],
    ]);
    expect((await namespace.feedback.list()).items.map(({ tenantId }) => tenantId)).toEqual([null, "Acme", "acme"]);
    expect((await own.goldenQuestions.list()).items.map(({ id }) => id)).toEqual([golden.acme]);
    expect((await namespace.goldenQuestions.list()).items).toHaveLength(3);
    expect((await namespace.documents.list()).items.map(({ tenantId }) => tenantId)).toEqual([null, "Acme", "acme"]);
    expect((await namespace.ingestJobs.get(jobs.acme!)).tenantId).toBe("acme");
  });

  it("is listed alone on request, but not by another tenant", async () => {
    const idsOf = async (handle: NamespaceHandle, tenantId: string | null) =>
      (await handle.documents.list({ tenantId })).items.map(({ id }) => id);
    expect(await idsOf(namespace, "acme")).toEqual([documents.acme]);
    expect(await idsOf(namespace, null)).toEqual([documents[""]]);
    expect(await idsOf(namespace.tenant("acme"), "acme")).toEqual([documents.acme]);
    for (const other of ["Acme", null]) expect(await idsOf(namespace.tenant("acme"), other)).toEqual([]);
    expect(await failureOf(() => idsOf(namespace, "a-b"))).toMatchObject({ code: "invalid_input" });
  });

  it("has an id of 1 to 64 letters and digits; any other is refused with the field, the value and the rule", async () => {
    const rule = "tenantId: must be 1 to 64 of the characters A-Z, a-z and 0-9";
    for (const id of ["", "a b", "a-b", "é", "a".repeat(65), "a\n"]) {
      const { code, message, issues } = await failureOf(() => namespace.tenant(id));
      expect([code, issues.map(({ field }) => field)]).toEqual(["invalid_input", ["tenantId"]]);
      expect(message).toContain(rule);
      expect(message).toContain("tenantIdOf(name)");
      expect(message).toContain(`got ${JSON.stringify(id)}`);
      expect((await failureOf(() => kb.namespaces.deleteTenant(namespace.ref, id))).message).toBe(message);
    }
    const missing = undefined as unknown as string;
    expect((await failureOf(() => namespace.tenant(missing))).message).toContain(rule);
    expect(namespace.tenant("a".repeat(64)).tenantId).toHaveLength(64);
  });
});
