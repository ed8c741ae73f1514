import { expect, it, onTestFinished } from "vitest";
import type { ClaimedTask } from "../../src/storage/records/tasks.js";
import { failureOf } from "../support/knowledge-base.js";
import { QueueModel } from "../support/queue-model.js";

const SCOPE = { organizationId: "org", namespaceId: "ns", tenantId: null };

/** A worker that has written the chunks of a document's first generation and sends their vectors. */
function written() {
  const model = new QueueModel(5);
  onTestFinished(() => model.close());
  const now = model.now();
  model.request(() =>
    model.change("jobs.create", {
      ...SCOPE,
      id: "job",
      externalId: null,
      name: null,
      payload: JSON.stringify({ type: "TEXT", text: "one" }),
      sealed: [],
      config: "{}",
      uploadKeys: [],
      capacity: 5,
      now,
    }),
  );
  const claim = (owner: string) => model.change("tasks.claim", { owner, now: model.now(), leaseMs: 1000 });
  const { lease } = claim("writer") as ClaimedTask;
  model.change("jobs.move", { lease, jobId: "job", status: "PRE_PROCESSING", now });
  model.change("jobs.expand", { lease, jobId: "job", now });
  model.change("jobs.move", { lease, jobId: "job", status: "PROCESSING", now });
  const [document] = model.change("documents.listRunnable", { lease, jobId: "job", resume: true, now });
  const { seq, scopeId, id: documentId } = document!;
  model.change("documents.move", { lease, seq, status: "PRE_PROCESSING", now });
  const generation = model.change("documents.openGeneration", { lease, seq, now })!;
  const vectors = { ...SCOPE, documentId, generation, chunks: 3 };
  const content = { metadata: {}, chunks: [], texts: [], stemming: 0, cache: null };
  model.change("documents.writeChunks", {
    lease,
    documentSeq: seq,
    scopeId,
    generation,
    ...content,
    pendingVectors: { ...vectors, vectorSet: 0 },
  });
  const kinds = () =>
    model.all<{ kind: string }>("SELECT kind FROM tasks WHERE state = 'ready'").map(({ kind }) => kind);
  return { model, claim, lease, seq, vectors, kinds };
}

const rows = (model: QueueModel) => model.all("SELECT document_id FROM unpublished_vectors").length;

it("holds the removal of vectors while their writer works, and deletes it on publication", () => {
  const { model, claim, lease, seq, vectors } = written();
  expect(claim("other")).toBe(null);
  expect(rows(model)).toBe(1);
  const counts = { fileSize: 1, chunks: 0, tokens: 1, characters: 3, pages: 1 };
  const shown = {
    name: null,
    mimeType: "text/plain",
    warnings: [],
    sourceVersion: null,
    contentHash: "",
    source: null,
    ...counts,
  };
  model.change("documents.publish", { lease, ...SCOPE, seq, generation: 1, ...shown, now: model.now() });
  expect(rows(model)).toBe(0);
  // A writer that was not told of its publication leaves what is published.
  model.change("documents.abandonVectors", { ...vectors, now: model.now() });
  expect(rows(model)).toBe(0);
  expect(model.all("SELECT kind FROM tasks WHERE kind = 'remove_vectors'")).toEqual([]);
});

it("releases the removal with the other tasks of a dead writer", () => {
  const { model, kinds } = written();
  model.change("tasks.reclaim", { deadProcesses: ["writer"], now: model.now(), leaseMs: 60_000 });
  expect(kinds()).toEqual(["ingest", "remove_vectors"]);
});

it("repeats a removal that ran while a writer that seemed dead was still writing", async () => {
  const { model, claim, vectors } = written();
  model.change("tasks.reclaim", { deadProcesses: ["writer"], now: model.now(), leaseMs: 60_000 });
  claim("other");
  const { kind, lease } = claim("other")!;
  expect(kind).toBe("remove_vectors");
  model.change("documents.abandonVectors", { ...vectors, now: model.now() });
  const done = () =>
    model.change("documents.recordVectorRemoval", { lease, documentId: vectors.documentId, generation: 1 });
  expect((await failureOf(done)).message).toBe("Another worker has claimed the task.");
  const again = claim("other")!;
  model.change("documents.recordVectorRemoval", { lease: again.lease, documentId: vectors.documentId, generation: 1 });
  model.change("tasks.complete", again);
  // And once more, where it was done by then.
  model.change("documents.abandonVectors", { ...vectors, now: model.now() });
  expect(claim("other")).toMatchObject({ kind: "remove_vectors", subject: `${vectors.documentId}.1` });
  expect(rows(model)).toBe(1);
});

it("keeps the namespace, with its keys, until the removal is done", () => {
  const { model, claim, vectors } = written();
  model.change("namespaces.delete", { namespaceId: "ns", organizationId: "org", now: model.now() });
  const { lease } = claim("other")!;
  expect(model.change("namespaces.remove", { lease, namespaceId: "ns" })).toBe(false);
  expect(model.all("SELECT id FROM namespaces")).toHaveLength(1);
  model.change("documents.abandonVectors", { ...vectors, now: model.now() });
  expect(claim("other")).toMatchObject({ kind: "remove_vectors" });
});
