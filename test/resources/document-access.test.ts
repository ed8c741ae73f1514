import { join } from "node:path";
import type { KnowledgeBase, NamespaceHandle } from "lorebase";
import { afterAll, beforeAll, expect, it } from "vitest";
import { failureOf, newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";
import { onlySqlite } from "../support/only-sqlite.js";
import { folderTest } from "../support/synced-folder.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

let kb: KnowledgeBase;
beforeAll(() => {
  kb = openKnowledgeBase({ worker: false });
});
afterAll(() => kb.close());

async function ingest(handle: NamespaceHandle, text: string, allow?: readonly string[]): Promise<string> {
  const job = { externalId: "one", onConflict: "replace" } as const;
  const run = await handle.ingest({ type: "TEXT", text }, { ...job, ...(allow && { allow }) });
  return run.id;
}

const found = async (handle: NamespaceHandle) => (await handle.search("lamp")).map(({ text }) => text);

it("a document with an empty list is seen by the owner alone", async () => {
  const handle = await newNamespace(kb);
  await ingest(handle, "The lamp is lit.", []);
  await kb.drain();
  expect(await found(handle)).toHaveLength(1);
  expect(await found(handle.visibleTo(["user:7"]))).toEqual([]);
  expect((await handle.documents.list({ principals: [] })).items).toEqual([]);
});

it("replaced content is never seen by those whom only the new content allows", async () => {
  const handle = await newNamespace(kb);
  const [a, b, all] = [handle.visibleTo(["a"]), handle.visibleTo(["b"]), handle.visibleTo([])];
  await ingest(handle, "The old lamp.", ["a"]);
  await kb.drain();
  await ingest(handle, "The new lamp.", ["b"]);
  // Revoked at once, granted with the content.
  expect([await found(a), await found(b), await found(all)]).toEqual([[], [], []]);
  await kb.drain();
  expect([await found(a), await found(b), await found(all)]).toEqual([[], ["The new lamp."], []]);
  await ingest(handle, "The newest lamp.");
  expect([await found(a), await found(b), await found(all)]).toEqual([[], ["The new lamp."], []]);
  await kb.drain();
  expect(await found(all)).toEqual(["The newest lamp."]);
});

it("an update takes effect at once, and stays when the document is ingested again", async () => {
  const handle = await newNamespace(kb);
  const job = await ingest(handle, "The lamp.", ["a"]);
  await kb.drain();
  const { id } = (await handle.documents.list({ ingestJobId: job })).items[0]!;
  const updated = await handle.documents.update(id, { allow: ["b"] });
  expect(updated).toMatchObject({ status: "COMPLETED", config: { allow: ["b"] } });
  expect([await found(handle.visibleTo(["a"])), await found(handle.visibleTo(["b"]))]).toEqual([[], ["The lamp."]]);
  await handle.ingestJobs.reingest(job);
  await kb.drain();
  expect([await found(handle.visibleTo(["a"])), await found(handle.visibleTo(["b"]))]).toEqual([[], ["The lamp."]]);
  await handle.documents.update(id, { allow: null });
  expect(await found(handle.visibleTo([]))).toEqual(["The lamp."]);
  expect((await failureOf(() => handle.documents.update("doc_none", { allow: null }))).code).toBe("not_found");
  const invalid = await failureOf(() => handle.documents.update(id, { allow: ["a\n"] }));
  expect(invalid.message).toContain("allow[0]: must not have control characters");
});

it("a bound handle only reads, and is not told who else may see a document", async () => {
  const handle = await newNamespace(kb);
  await ingest(handle, "The lamp.", ["a", "b"]);
  await kb.drain();
  const bound = handle.visibleTo(["a", "c"]);
  const [document] = (await bound.documents.list()).items;
  const { id } = document!;
  expect(document!.config).toEqual({});
  expect(await bound.documents.get(id)).toEqual(document);
  expect((await bound.documents.text(id, { principals: ["a"] })).text).toBe("The lamp.");
  expect((await failureOf(() => bound.documents.text(id, { principals: ["c"] }))).code).toBe("not_found");
  expect((await bound.ask("Is there a lamp?", { principals: ["c"] })).passages).toEqual([]);
  await bound.feedback.add({ question: "Is there a lamp?", answer: "Yes.", rating: "up", chunkIds: [] });
  const refused = [
    () => bound.ingest({ type: "TEXT", text: "More." }),
    () => bound.sync({ dir: "." }).done(),
    () => bound.watch({ dir: "." }).next(),
    () => bound.export("bundle"),
    () => bound.ingestJobs.list(),
    () => bound.uploads.put({ fileName: "a.md", body: Buffer.from("a") }),
    () => bound.feedback.list(),
    () => bound.goldenQuestions.list(),
    () => bound.evaluations.run(),
    () => bound.evaluations.list(),
    () => bound.goldenQuestions.fromFeedback(),
    () => bound.goldenQuestions.fromClicks(),
    () => bound.goldenQuestions.generate(),
    () => bound.hosting.get(),
    () => bound.documents.delete(id),
    () => bound.documents.update(id, { allow: null }),
    () => bound.visibleTo(["b"]).search("lamp"),
    () => bound.search("lamp", { principals: ["b"] }),
    () => bound.tenant("T1").search("lamp", { principals: ["b"] }),
  ];
  for (const call of refused) expect((await failureOf(async () => call())).code, String(call)).toBe("forbidden");
});

it("a signed URL is invalid once others may see its document", async () => {
  const handle = await newNamespace(kb);
  const job = await ingest(handle, "The lamp.", ["a"]);
  await kb.drain();
  const { id } = (await handle.documents.list({ ingestJobId: job })).items[0]!;
  const { url } = await handle.documents.chunksDownloadUrl(id, { principals: ["a"] });
  const query = new URLSearchParams(url.split("?")[1]);
  const signed = { expires: Number(query.get("expires")), signature: query.get("signature")! };
  const open = () => kb.openDownload({ kind: "chunks", documentId: id, ...signed });
  expect((await open()).mimeType).toBe("application/json");
  await handle.documents.update(id, { allow: ["b"] });
  expect((await failureOf(open)).code).toBe("forbidden");
});

it("a sync with other readers embeds nothing again", async () => {
  const { handle, dir, write, embedded } = await folderTest();
  write("a.md", "The lamp.");
  await handle.sync({ dir }, { allow: ["a"] }).done();
  expect(embedded()).toHaveLength(1);
  await handle.sync({ dir }, { allow: ["b"] }).done();
  expect([await found(handle.visibleTo(["a"])), await found(handle.visibleTo(["b"]))]).toEqual([[], ["The lamp."]]);
  expect(embedded().filter((text) => text !== "lamp")).toEqual([]);
});

onlySqlite("exports read its snapshots")("a bundle keeps who may see what is published", async () => {
  const handle = await newNamespace(kb);
  await ingest(handle, "The old lamp.", ["a"]);
  await kb.drain();
  await ingest(handle, "The new lamp.");
  const file = join(temporaryDirectory(), "lamp.lorebase");
  await handle.export(file);
  const { namespace } = await kb.import(file, { slug: "imported-lamp" });
  const imported = kb.namespace(namespace.id);
  const seen = [await found(imported), await found(imported.visibleTo(["a"])), await found(imported.visibleTo([]))];
  expect(seen).toEqual([["The old lamp."], ["The old lamp."], []]);
});
