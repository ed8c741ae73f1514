import assert from "node:assert/strict";
import { KnowledgeBaseError } from "#dist/errors.js";
import type { Records } from "../../src/storage/facade.js";
import type { Lease } from "../../src/storage/records/lease.js";
import type { ContractCase } from "../../src/testing/contract.js";
import type { ChunkingConfig } from "../../src/types.js";
import { QUOTA_PROMISES } from "./quota-records-contract.js";
import { begin, CAPACITY, claim, LEASE_MS, NAMESPACE, newJob, ORGANIZATION, publication } from "./stored-documents.js";
import { WEBHOOK_PROMISES } from "./webhook-records-contract.js";

/** Records of an engine, and its own SQL. */
export interface TestedRecords extends Records {
  /** Runs statements that no operation has. */
  execute(sql: string): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * The promises of what keeps the records. `create` gives empty records, new ones for each case; the case closes them.
 *
 * @example
 * for (const { name, run } of recordsContract(create)) test(name, run);
 */
export function recordsContract(create: () => Promise<TestedRecords>): ContractCase[] {
  const promise = (name: string, check: (records: TestedRecords) => Promise<void>): ContractCase => ({
    name,
    async run() {
      const records = await create();
      try {
        await records.organizations.create(ORGANIZATION);
        await records.namespaces.create({ namespace: NAMESPACE as never, sealed: [] });
        await check(records);
      } finally {
        await records.close();
      }
    },
  });

  return [
    ...QUOTA_PROMISES.map(([name, check]) => promise(name, check)),
    promise("refuses organization ids, slugs and external ids that are taken", async (records) => {
      await rejects(records.organizations.create(ORGANIZATION), "conflict");
      const again = { ...NAMESPACE, id: "ns_2", slug: "HANDBOOK" };
      await rejects(records.namespaces.create({ namespace: again as never, sealed: [] }), "conflict");
      assert.equal((await records.namespaces.ensure({ namespace: again as never, sealed: [] })).id, "ns");
      await records.jobs.create(newJob("job"));
      await rejects(records.jobs.create({ ...newJob("job"), id: "other" }), "conflict");
      await rejects(records.namespaces.resolve({ organizationId: "other", ref: "ns" }), "not_found");
      assert.equal((await records.namespaces.resolve({ organizationId: "org", ref: "handbook" })).name, "Handbook");
    }),

    promise("keeps the newest evaluations of each tenant", async (records) => {
      const add = (id: string, tenantId: string | null) =>
        records.evaluations.add({
          evaluation: { id, tenantId, namespaceId: "ns", report: "{}", scores: "{}", createdAt: 1 },
          keep: 2,
        });
      for (const id of ["1", "2", "3"]) {
        await add(`none ${id}`, null);
        await add(`acme ${id}`, "acme");
        await add(`beta ${id}`, "beta");
      }
      const range = { after: null, direction: "asc", offset: 0, limit: 10 } as const;
      // Lists without a tenant have the evaluations of all.
      const kept = await records.evaluations.list({ namespaceId: "ns", tenantId: null, range });
      const expected = ["2", "3"].flatMap((number) => [`none ${number}`, `acme ${number}`, `beta ${number}`]);
      assert.deepEqual(
        kept.map(({ id }) => id),
        expected,
      );
    }),

    promise("keeps jobs beyond the quota in the backlog until there is capacity", async (records) => {
      const statuses = [];
      for (const id of ["a", "b", "c"]) statuses.push((await records.jobs.create(newJob(id))).status);
      assert.deepEqual(statuses, ["QUEUED", "QUEUED", "BACKLOG"]);
      await records.jobs.cancel({ jobId: "a", organizationId: "org", capacity: CAPACITY, now: 1 });
      const owner = { namespaceId: "ns", tenantId: null };
      assert.equal((await records.jobs.get({ ...owner, jobId: "a" }))?.status, "CANCELLED");
      assert.equal((await records.jobs.get({ ...owner, jobId: "c" }))?.status, "QUEUED");
    }),

    promise("changes the chunking of batch items that have no documents yet, and of all documents", async (records) => {
      const place = { jobId: "job", organizationId: "org", capacity: CAPACITY, now: 1 };
      const items = Array.from({ length: 201 }, (_, n) => {
        return { type: "TEXT", text: `Text ${n}`, config: { chunkSize: 64, metadata: { n } } };
      });
      const payload = JSON.stringify({ type: "BATCH", items });
      await records.jobs.create({ ...newJob("job"), payload, config: '{"chunkOverlap":8,"metadata":{"year":2026}}' });
      /** Cancels the job, ingests it again with this chunking, and returns the configs of its documents. */
      const configs = async (chunking: ChunkingConfig, lease?: Lease) => {
        await records.jobs.cancel(place);
        if (lease) await records.jobs.finish({ ...place, lease });
        await records.jobs.reingest({ ...place, chunking });
        const task = (await claim(records, "one", 1))!;
        const documents = await begin(records, task.lease, "job");
        return { configs: documents.map(({ config }) => config), lease: task.lease };
      };
      const expected = (chunking: string) => items.map((_, n) => `{${chunking},"metadata":{"year":2026,"n":${n}}}`);
      const first = await configs({ chunkSize: 2000, chunkOverlap: 1900 });
      assert.deepEqual(first.configs, expected('"chunkSize":2000,"chunkOverlap":1900'));
      const job = await records.jobs.get({ namespaceId: "ns", tenantId: null, jobId: "job" });
      assert.deepEqual(JSON.parse(job!.payload).items[200].config, { metadata: { n: 200 } });
      const second = await configs({ delimiter: "|" }, first.lease);
      assert.deepEqual(second.configs, expected('"delimiter":"|"'));
    }),

    promise("changes no chunking in a request whose hash differs", async (records) => {
      const place = { jobId: "job", organizationId: "org", capacity: CAPACITY, now: 1 };
      await records.jobs.create(newJob("job"));
      await records.jobs.cancel(place);
      await records.execute("UPDATE ingest_job_payloads SET hash = hash + 1");
      await rejects(records.jobs.reingest({ ...place, chunking: { chunkSize: 64 } }), "not_ready");
    }),

    promise("gives each task to one worker, and refuses a worker whose lease has expired", async (records) => {
      await records.jobs.create(newJob("job"));
      const first = await claim(records, "one", 0);
      assert.equal(await claim(records, "two", 1), null);
      assert.equal(await records.tasks.reclaim({ deadProcesses: [], now: LEASE_MS + 1, leaseMs: LEASE_MS }), 1);
      const second = await claim(records, "two", LEASE_MS + 1);
      assert.equal(second?.attempt, 2);
      await rejects(records.tasks.complete({ lease: first!.lease }), "conflict");
      await records.tasks.complete({ lease: second!.lease });
      assert.equal(await records.tasks.count(), 0);
    }),

    promise("extends the leases of the tasks that a process runs", async (records) => {
      for (const id of ["a", "b"]) await records.jobs.create(newJob(id));
      const [first] = [await claim(records, "one", 0), await claim(records, "one", 0)];
      const beat = { process: { id: "one", host: "here", pid: 1 }, running: [first!.lease] };
      await records.processes.recordHeartbeat({ ...beat, now: LEASE_MS - 1, leaseMs: LEASE_MS });
      assert.equal(await records.tasks.reclaim({ deadProcesses: [], now: LEASE_MS + 1, leaseMs: LEASE_MS }), 1);
      await records.tasks.complete({ lease: first!.lease });
    }),

    promise("skips ingest tasks of organizations that are full, but not their removals", async (records) => {
      await records.jobs.create(newJob("job"));
      const full = { owner: "one", now: 0, leaseMs: LEASE_MS, fullOrganizations: ["org"] };
      assert.equal(await records.tasks.claim(full), null);
      await records.jobs.delete({ jobId: "job", organizationId: "org", capacity: CAPACITY, now: 0 });
      assert.equal((await records.tasks.claim(full))?.kind, "delete_job");
    }),

    promise("records unfindable passages of the published generation only", async (records) => {
      await records.jobs.create(newJob("job"));
      const { lease } = (await claim(records, "one", 0))!;
      const [document] = await begin(records, lease, "job");
      const { seq, scopeId } = document!;
      await publish(records, lease, seq, scopeId);
      const owner = { namespaceId: "ns", tenantId: null };
      const record = (generation: number) => {
        const part = { documentId: "unused", documentSeq: seq, first: 0, passages: 1, questioned: 0, generation };
        const unfindable = [{ ordinal: 0, question: "Where?" }];
        return records.health.recordQuestioned({ scopeId, part, questioned: 1, unfindable });
      };
      await record(2);
      await records.execute("UPDATE documents SET generation = 2");
      assert.equal(await records.health.countUnfindable(owner), 0);
      await record(2);
      assert.equal(await records.health.countUnfindable(owner), 1);
    }),

    promise("counts published documents, and reports them in the order of a job's events", async (records) => {
      await records.jobs.create(newJob("job", ["one", "two"]));
      const { lease } = (await claim(records, "one", 0))!;
      const documents = await begin(records, lease, "job");
      assert.deepEqual(
        documents.map(({ item, nameGiven }) => [item, nameGiven]),
        [
          [0, 1],
          [1, 1],
        ],
      );
      const [first, second] = documents as [(typeof documents)[0], (typeof documents)[0]];
      await publish(records, lease, first.seq, first.scopeId);
      await records.documents.fail({ lease, seq: second.seq, error: "It broke.", now: 2 });
      const place = { organizationId: "org", capacity: CAPACITY, now: 3 };
      assert.equal(await records.jobs.finish({ lease, jobId: "job", ...place }), "FAILED");
      const { events } = await records.events.getJobProgress({ jobId: "job", after: 0 });
      assert.deepEqual(
        events.map(({ event }) => `${event.type} ${"status" in event ? event.status : ""}`),
        [
          ...["job.status QUEUED", "job.status PRE_PROCESSING", "job.status PROCESSING"],
          ...["document.status PRE_PROCESSING", "document.status PROCESSING", "document.status COMPLETED"],
          ...["document.status FAILED", "job.status FAILED"],
        ],
      );
      const counts = await records.jobs.getCounts({ jobId: "job" });
      assert.deepEqual([counts?.documents, counts?.chunks], [{ total: 2, completed: 1, failed: 1 }, 1]);
    }),

    promise("prunes the events of jobs that ended long ago, but not their last ones", async (records) => {
      const statusesOf = async (jobId: string) => {
        const { events } = await records.events.getJobProgress({ jobId, after: 0 });
        return events.map(({ event }) => ("status" in event ? event.status : event.type));
      };
      for (const id of ["old", "new"]) {
        await records.jobs.create(newJob(id));
        const { lease } = (await claim(records, "one", 0))!;
        await begin(records, lease, id);
        await records.jobs.finish({
          lease,
          jobId: id,
          organizationId: "org",
          capacity: CAPACITY,
          now: id === "old" ? 5 : 9,
        });
      }
      await records.jobs.create(newJob("waiting"));
      const skipped = `'{"type":"document.skipped","item":0,"name":null,"documentId":"doc"}'`;
      await records.execute("UPDATE events SET data = ".concat(skipped, " WHERE seq = 2"));
      const before = await statusesOf("new");
      assert.equal(await records.events.prune({ before: 9, after: 0 }), null);
      assert.deepEqual(await statusesOf("old"), ["document.skipped", "COMPLETED"]);
      assert.deepEqual(await statusesOf("new"), before);
      assert.deepEqual(await statusesOf("waiting"), ["QUEUED"]);
    }),

    promise("prunes events in steps", async (records) => {
      await records.jobs.create(newJob("job"));
      const { lease } = (await claim(records, "one", 0))!;
      await begin(records, lease, "job");
      await records.jobs.finish({ lease, jobId: "job", organizationId: "org", capacity: CAPACITY, now: 5 });
      const event = `'{"type":"job.status","status":"QUEUED"}'`;
      const values = Array.from({ length: 1500 }, () => `('job', ${event})`).join(", ");
      await records.execute(`INSERT INTO events (ingest_job_id, data) VALUES ${values}`);
      const count = async () => (await records.events.getJobProgress({ jobId: "job", after: 0 })).events.length;
      const all = await count();
      const next = await records.events.prune({ before: 9, after: 0 });
      assert.equal(await count(), all - 1000);
      assert.equal(await records.events.prune({ before: 9, after: next! }), null);
      assert.equal(await count(), 1);
    }),

    promise("finds an event that was committed after a later-numbered one of another job", async (records) => {
      for (const id of ["a", "b"]) await records.jobs.create(newJob(id));
      const before = await records.events.findChangedJobs({ after: 0, watched: [] });
      const [a, b] = ["a", "b"].map((jobId) => before.jobs.find((job) => job.jobId === jobId)!.lastSeq);
      assert.deepEqual([before.lastSeq, before.active.toSorted()], [Math.max(a!, b!), ["a", "b"]]);
      const insert = (jobId: string, seq: number) =>
        records.execute(`INSERT INTO events (seq, ingest_job_id, data) VALUES (${seq}, '${jobId}', '{"seq":${seq}}')`);
      await insert("b", before.lastSeq + 2);
      const between = await records.events.findChangedJobs({ after: before.lastSeq, watched: before.active });
      assert.equal(between.lastSeq, before.lastSeq + 2);
      // The end of a job: its task goes with its last event.
      await insert("a", before.lastSeq + 1);
      await records.execute("DELETE FROM tasks WHERE subject = 'a'");
      const after = await records.events.findChangedJobs({ after: between.lastSeq, watched: between.active });
      assert.deepEqual(
        after.jobs.find(({ jobId }) => jobId === "a"),
        { jobId: "a", lastSeq: before.lastSeq + 1 },
      );
      const { events } = await records.events.getJobProgress({ jobId: "a", after: a! });
      assert.deepEqual(
        events.map(({ seq }) => seq),
        [before.lastSeq + 1],
      );
      const later = await records.events.findChangedJobs({ after: after.lastSeq, watched: after.active });
      assert.deepEqual([later.active, later.jobs.map(({ jobId }) => jobId)], [["b"], ["b"]]);
    }),

    promise("publishes nothing of a deleted document", async (records) => {
      await records.jobs.create(newJob("job"));
      const { lease } = (await claim(records, "one", 0))!;
      const [document] = await begin(records, lease, "job");
      await records.documents.move({ lease, seq: document!.seq, status: "PRE_PROCESSING", now: 1 });
      const generation = await records.documents.openGeneration({ lease, seq: document!.seq, now: 1 });
      await records.documents.delete({ documentId: document!.id, organizationId: "org", now: 1 });
      assert.equal(await records.documents.publish(publication(lease, document!.seq, generation!)), false);
    }),

    promise(
      "stores documents at once as one by one, and none that was deleted or that another claims",
      async (records) => {
        await records.jobs.create(newJob("job", ["one", "two", "three"]));
        const { lease } = (await claim(records, "one", 0))!;
        const documents = await begin(records, lease, "job");
        const seqs = documents.map(({ seq }) => seq);
        const each = <Result>(run: (seq: number) => Promise<Result>) => Promise.all(seqs.map(run));
        const move = (seq: number) => records.documents.move({ lease, seq, status: "PRE_PROCESSING", now: 1 });
        assert.deepEqual(await each(move), [true, true, true]);
        assert.deepEqual(await each(move), [false, false, false]);
        const open = (seq: number) => records.documents.openGeneration({ lease, seq, now: 1 });
        assert.deepEqual(await each(open), [1, 1, 1]);
        await records.documents.delete({ documentId: documents[1]!.id, organizationId: "org", now: 1 });
        const store = (seq: number, by = lease) =>
          records.documents.store({
            content: contentOf(seq, documents[0]!.scopeId, 1),
            publication: publication(by, seq, 1),
          });
        assert.deepEqual(await each((seq) => store(seq)), [true, false, true]);
        assert.deepEqual(await each((seq) => store(seq)), [false, false, false]);
        const counts = await records.jobs.getCounts({ jobId: "job" });
        assert.deepEqual([counts?.documents.completed, counts?.chunks, counts?.embedded], [2, 2, 2]);
        const { events } = await records.events.getJobProgress({ jobId: "job", after: 0 });
        const completed = events.flatMap(({ event }) => {
          return event.type === "document.status" && event.status === "COMPLETED" ? event : [];
        });
        assert.deepEqual(
          completed.map(({ documentId, name, counts }) => [
            documentId,
            name,
            counts.documents.completed,
            counts.chunks,
          ]),
          [
            [documents[0]!.id, "one", 1, 1],
            [documents[2]!.id, "one", 2, 2],
          ],
        );
        const lost = { ...lease, fence: lease.fence - 1 };
        const outcomes = await Promise.allSettled([store(seqs[0]!), store(seqs[2]!, lost)]);
        assert.deepEqual(
          outcomes.map(({ status }) => status),
          ["fulfilled", "rejected"],
        );
      },
    ),

    promise("lets one sender at a time claim an upload", async (records) => {
      const upload = { key: "ns/file", fileName: "file.txt", contentType: "text/plain", fileSize: 5, sha256: null };
      await records.uploads.create({ namespaceId: "ns", uploads: [upload], now: 0, expiresAt: 1000 });
      assert.equal(await records.uploads.claim({ key: upload.key, now: 0, claimedUntil: 10 }), true);
      assert.equal(await records.uploads.claim({ key: upload.key, now: 5, claimedUntil: 15 }), false);
      assert.equal(await records.uploads.claim({ key: upload.key, now: 11, claimedUntil: 21 }), true);
      assert.equal(
        await records.uploads.finish({ key: upload.key, claimedUntil: 10, fileSize: 5, sha256: "x" }),
        false,
      );
      assert.equal(await records.uploads.finish({ key: upload.key, claimedUntil: 21, fileSize: 5, sha256: "x" }), true);
      assert.equal(await records.uploads.retire({ key: upload.key }), true);
    }),

    promise("finds a crawl's pages in their order and counts them", async (records) => {
      await records.jobs.create({
        ...newJob("job"),
        payload: JSON.stringify({ type: "CRAWL", url: "https://a.test" }),
      });
      const { lease } = (await claim(records, "one", 0))!;
      await records.jobs.move({ lease, jobId: "job", status: "PRE_PROCESSING", now: 1 });
      const page = (key: string, skip: string | null = null) => {
        return { key, url: `https://${key}`, depth: 0, redirects: 0, skip };
      };
      const found = [page("a.test/1"), page("a.test/2"), page("a.test/3", "excluded")];
      assert.equal(await records.crawl.addPages({ lease, jobId: "job", found }), true);
      await records.crawl.postponePage({ lease, jobId: "job", key: "a.test/1" });
      const pending = await records.crawl.listPendingPages({ jobId: "job", limit: 10, pipelineFingerprint: "x" });
      assert.deepEqual(
        pending.map(({ key, ignoresCanonical }) => [key, ignoresCanonical]),
        [
          ["a.test/2", 0],
          ["a.test/1", 0],
        ],
      );
      const counts = await records.crawl.countPages({ jobId: "job" });
      assert.deepEqual(counts.map(({ state, reason, pages }) => `${state} ${reason} ${pages}`).toSorted(), [
        "pending null 2",
        "skipped excluded 1",
      ]);
    }),

    promise("finds a hosted page by its slug until its namespace is deleted", async (records) => {
      const settings = { namespaceId: "ns", slug: "page", settings: "{}" };
      await records.hosting.enable({ settings, now: 1 });
      const page = { ...settings, organizationId: "org", createdAt: 1, updatedAt: 1 };
      assert.deepEqual(await records.hosting.getBySlug({ slug: "page" }), page);
      assert.equal(await records.hosting.getBySlug({ slug: "Page" }), undefined);
      await records.namespaces.delete({ namespaceId: "ns", organizationId: "org", now: 2 });
      assert.equal(await records.hosting.get({ namespaceId: "ns" }), undefined);
      // A call that had resolved the namespace before it was deleted.
      await records.hosting.enable({ settings, now: 3 });
      assert.equal(await records.hosting.getBySlug({ slug: "page" }), undefined);
    }),

    promise("keeps the newest feedback of a namespace, and finds it by tenant and rating", async (records) => {
      const other = { ...NAMESPACE, id: "ns_2", slug: "other" };
      await records.namespaces.create({ namespace: other as never, sealed: [] });
      const add = (id: string, changes: object = {}) =>
        records.feedback.add({ feedback: feedbackOf(id, changes), keep: 3 });
      await add("theirs", { namespaceId: "ns_2" });
      for (const [id, rating] of [
        ["a", "up"],
        ["b", "down"],
      ] as const)
        await add(id, { rating });
      for (const [id, rating] of [
        ["c", "up"],
        ["d", "down"],
      ] as const)
        await add(id, { rating, tenantId: "acme" });
      const range = { after: null, direction: "asc", offset: 0, limit: 10 } as const;
      const ids = async (query: { namespaceId: string; tenantId: string | null; rating?: "up" | "down" }) =>
        (await records.feedback.list({ ...query, range })).map(({ id }) => id);
      const owner = { namespaceId: "ns", tenantId: null };
      assert.deepEqual(await ids(owner), ["b", "c", "d"]);
      assert.deepEqual(await ids({ ...owner, tenantId: "acme" }), ["c", "d"]);
      assert.deepEqual(await ids({ ...owner, rating: "down" }), ["b", "d"]);
      assert.deepEqual(await ids({ ...owner, namespaceId: "ns_2" }), ["theirs"]);
      const [first] = await records.feedback.list({ ...owner, range });
      assert.deepEqual(first, { seq: first!.seq, ...feedbackOf("b", { rating: "down" }) });
    }),

    promise("deletes feedback for its owner only, and that of a tenant or namespace with it", async (records) => {
      const owner = { namespaceId: "ns", tenantId: null };
      const add = (id: string, tenantId: string | null) =>
        records.feedback.add({ feedback: feedbackOf(id, { tenantId }), keep: 10 });
      for (const [id, tenantId] of [
        ["a", null],
        ["b", "acme"],
        ["c", "acme"],
      ] as const)
        await add(id, tenantId);
      for (const wrong of [{ namespaceId: "ns_2" }, { tenantId: "other" }])
        assert.equal(await records.feedback.delete({ ...owner, ...wrong, id: "b" }), undefined);
      assert.equal((await records.feedback.delete({ ...owner, id: "b" }))?.id, "b");
      assert.equal(await records.feedback.delete({ ...owner, id: "b" }), undefined);
      const quota = { organizationId: "org", capacity: CAPACITY, now: 1 };
      await records.namespaces.deleteTenant({ namespaceId: "ns", tenantId: "acme", ...quota });
      const range = { after: null, direction: "asc", offset: 0, limit: 10 } as const;
      assert.deepEqual(
        (await records.feedback.list({ ...owner, range })).map(({ id }) => id),
        ["a"],
      );
      await records.namespaces.delete({ namespaceId: "ns", organizationId: "org", now: 2 });
      await rejects(add("late", null), "not_found");
      const { lease } = (await claim(records, "one", 3))!;
      assert.equal(await records.feedback.purge({ lease, namespaceId: "ns" }), false);
      assert.deepEqual(await records.feedback.list({ ...owner, range }), []);
    }),

    promise("purges the feedback of a namespace in steps", async (records) => {
      await records.execute(
        `INSERT INTO feedback (id, namespace_id, question, answer, rating, chunk_ids, created_at)
         WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 700)
         SELECT 'fb_' || n, 'ns', 'q', 'a', 'up', '[]', 0 FROM numbers`,
      );
      await records.namespaces.delete({ namespaceId: "ns", organizationId: "org", now: 2 });
      const { lease } = (await claim(records, "one", 3))!;
      assert.equal(await records.feedback.purge({ lease, namespaceId: "ns" }), true);
      assert.equal(await records.feedback.purge({ lease, namespaceId: "ns" }), false);
      assert.equal(await records.namespaces.remove({ lease, namespaceId: "ns" }), true);
    }),

    promise(
      "refuses a cut-over for which a guard was not asked, and a guard while one is requested",
      async (records) => {
        const owner = { organizationId: "org", namespaceId: "ns", now: 1 };
        const guard = { namespaceId: "ns", guard: "{}", createdAt: 1 };
        await records.goldenGuards.set(guard);
        const used = { namespaceId: "ns", usedVectorSet: 0 };
        const sets = await records.reembeddings.nextVectorSet(used);
        const embeddingConfig = { provider: "OTHER" } as never;
        const place = {
          vectorStoreConfig: { provider: "STORE" } as never,
          isInStore: true,
          isUsedInStore: false,
          isSameModel: false,
        };
        const start = { ...owner, ...used, ...sets, ...place, embeddingConfig, chunksPerSecond: null, sealed: [] };
        await rejects(records.reembeddings.start({ ...start, wantsCutOver: true }), "conflict");
        for (const stale of [{ usedVectorSet: 2 }, { lastVectorSet: 1 }])
          await rejects(records.reembeddings.start({ ...start, ...stale, wantsCutOver: false }), "conflict");
        await records.reembeddings.start({ ...start, wantsCutOver: false });
        const request = { ...owner, from: ["running"], check: null } as const;
        await rejects(records.reembeddings.requestCutOver({ ...request, approval: null }), "conflict");
        const approval = { vectorSet: sets.vectorSet, guard: guard.guard };
        for (const other of [{ vectorSet: sets.vectorSet + 1 }, { guard: "[]" }])
          await rejects(
            records.reembeddings.requestCutOver({ ...request, approval: { ...approval, ...other } }),
            "conflict",
          );
        assert.equal((await records.reembeddings.get({ namespaceId: "ns" }))?.isCutOverRequested, false);
        const { isCutOverRequested } = await records.reembeddings.requestCutOver({ ...request, approval });
        assert.equal(isCutOverRequested, true);
        await rejects(records.goldenGuards.set(guard), "conflict");
        assert.deepEqual(await records.goldenGuards.delete({ namespaceId: "ns" }), guard);
        assert.equal(await records.goldenGuards.delete({ namespaceId: "ns" }), undefined);
      },
    ),

    promise(
      "empties the store of a discarded set last, with each scope that its vectors may be in",
      async (records) => {
        const owner = { organizationId: "org", namespaceId: "ns", now: 1 };
        const sets = await records.reembeddings.nextVectorSet({ namespaceId: "ns", usedVectorSet: 0 });
        const configs = { embeddingConfig: {} as never, vectorStoreConfig: { provider: "STORE" } as never };
        await records.reembeddings.start({
          ...{
            ...owner,
            ...sets,
            ...configs,
            usedVectorSet: 0,
            isInStore: true,
            isUsedInStore: false,
            isSameModel: true,
          },
          ...{ wantsCutOver: false, chunksPerSecond: null, sealed: [] },
        });
        const { lease } = (await claim(records, "one", 1))!;
        const set = { lease, namespaceId: "ns", vectorSet: sets.vectorSet };
        const deleted = { documentId: "doc_deleted", generation: 1 };
        const sent = { organizationId: "org", namespaceId: "ns", tenantId: "acme", ...deleted, chunks: 1 };
        assert.equal(await records.reembeddings.sendBatch({ ...set, generations: [sent] }), true);
        assert.equal(await records.reembeddings.discard({ ...owner, abandonsStore: false }), null);
        const purge = (isStoreEmptied: boolean) =>
          records.reembeddings.purge({ lease, namespaceId: "ns", secretFields: [], isStoreEmptied });
        assert.equal(await purge(false), "store");
        const listPlaces = (withDiscarded: boolean) =>
          records.namespaces.listVectorSets({ namespaceId: "ns", withDiscarded });
        assert.equal((await listPlaces(false)).length, 1);
        assert.equal((await listPlaces(true)).length, 2);

        await records.reembeddings.settleSent({ lease, namespaceId: "ns", now: 1 });
        assert.equal(await records.reembeddings.isBeingSent(set), true);
        const removal = (await claim(records, "one", 1))!;
        await records.documents.recordVectorRemoval({ lease: removal.lease, ...deleted });
        assert.equal(await records.reembeddings.isBeingSent(set), false);
        const tenants = async () => (await records.namespaces.listScopes({ namespaceId: "ns" })).map((s) => s.tenantId);
        assert.deepEqual(await tenants(), ["acme"]);

        assert.equal(await purge(true), "more");
        assert.equal(await purge(true), "none");
        assert.deepEqual(await tenants(), []);
        assert.equal(await records.reembeddings.get({ namespaceId: "ns" }), null);
      },
    ),

    promise("leaves a discarded set in a store that is given up, which is not that of searches", async (records) => {
      const owner = { organizationId: "org", namespaceId: "ns", now: 1 };
      const used = { namespaceId: "ns", usedVectorSet: 0 };
      const start = async (provider: string, isInStore: boolean) => {
        const sets = await records.reembeddings.nextVectorSet(used);
        const vectorStoreConfig = { provider, apiKey: "1" } as never;
        const places = { isInStore, isUsedInStore: true, isSameModel: true, vectorStoreConfig };
        const options = { wantsCutOver: false, chunksPerSecond: null, sealed: [] };
        await records.reembeddings.start({
          ...{ ...owner, ...used, ...sets, ...places, ...options },
          embeddingConfig: {} as never,
        });
        return sets.vectorSet;
      };
      const abandon = () => records.reembeddings.discard({ ...owner, abandonsStore: true });
      const purge = async (isStoreEmptied: boolean) => {
        const { lease } = (await claim(records, "one", 1))!;
        const purged = await records.reembeddings.purge({ lease, namespaceId: "ns", secretFields: [], isStoreEmptied });
        if (purged !== "none")
          await records.tasks.release({ lease, now: 1, delayMs: 0, error: null, countsAsAttempt: false });
        return purged;
      };
      await rejects(abandon(), "not_found");
      await start("INDEX", false);
      await rejects(abandon(), "conflict");
      assert.equal(await records.reembeddings.discard({ ...owner, abandonsStore: false }), null);
      assert.equal(await purge(false), "none");

      // Searches may use the same store.
      await records.execute(`UPDATE namespaces SET vector_store_config = '{"apiKey":"1","provider":"STORE"}'`);
      const vectorSet = await start("STORE", true);
      await records.execute("UPDATE reembeddings SET written = 3");
      assert.equal(await records.reembeddings.discard({ ...owner, abandonsStore: false }), null);
      const listSets = async () =>
        (await records.namespaces.listVectorSets({ namespaceId: "ns", withDiscarded: true })).map(
          (set) => set.vectorSet,
        );
      assert.deepEqual(await listSets(), [0, vectorSet]);
      // Its markers are removed first.
      assert.equal(await records.namespaces.countStoredVectors({ namespaceId: "ns", vectorSet }), 3);
      const vectorStoreConfig = { provider: "STORE", apiKey: "1" };
      assert.deepEqual(await abandon(), { vectorSet, vectorStoreConfig, vectors: 3 });
      // Neither is told twice, nor taken back.
      assert.equal(await abandon(), null);
      assert.equal(await records.reembeddings.discard({ ...owner, abandonsStore: false }), null);
      assert.equal((await records.reembeddings.getForWorker({ namespaceId: "ns" }))?.abandonsStore, true);
      // Not even the deletion of the namespace asks for the store.
      assert.deepEqual(await listSets(), [0]);
      await records.execute("INSERT INTO scopes (namespace_id, tenant_id, vector_set) VALUES ('ns', 'acme', 0)");
      assert.equal(await purge(false), "store");
      assert.equal(await purge(true), "more");
      assert.equal(await purge(true), "none");
      assert.equal(await records.reembeddings.get({ namespaceId: "ns" }), null);
      assert.deepEqual(await records.namespaces.listScopes({ namespaceId: "ns" }), []);
    }),

    promise("lists the sets of a deleted namespace that gives up its stores as in the database", async (records) => {
      await records.execute(`UPDATE namespaces SET vector_store_config = '{"provider":"STORE"}'`);
      const deletion = { namespaceId: "ns", organizationId: "org", now: 1 };
      await records.namespaces.delete(deletion);
      const providers = async () => {
        const sets = await records.namespaces.listVectorSets({ namespaceId: "ns", withDiscarded: true });
        return sets.map(({ vectorStoreConfig }) => vectorStoreConfig.provider);
      };
      assert.deepEqual(await providers(), ["STORE"]);
      const { lease } = (await claim(records, "one", 1))!;
      await records.tasks.release({ lease, now: 1, delayMs: 1000, error: "away", countsAsAttempt: true });
      await records.execute(
        `INSERT INTO unpublished_vectors (document_id, generation, namespace_id, chunks) VALUES ('doc', 2, 'ns', 1)`,
      );
      await records.execute(
        `INSERT INTO tasks (organization_id, kind, subject, run_at, delay_ms) VALUES ('org', 'remove_vectors', 'doc.2', 1000, 999)`,
      );
      assert.equal(await claim(records, "one", 2), null);
      await records.namespaces.delete({ ...deletion, now: 2, abandonsStores: true });
      assert.deepEqual(await providers(), ["MANAGED_SQLITE_VEC"]);
      // Its removal doesn't wait any more, nor that of vectors which it waits for.
      assert.equal((await claim(records, "one", 2))?.kind, "delete_namespace");
      assert.equal((await claim(records, "one", 2))?.kind, "remove_vectors");
      const resolve = (organizationId: string, ref: string) =>
        records.namespaces.resolve({ organizationId, ref, withDeleted: true });
      assert.equal((await resolve("org", "ns")).id, "ns");
      await rejects(resolve("org", "handbook"), "not_found");
      await rejects(resolve("other", "ns"), "not_found");
      await rejects(records.namespaces.resolve({ organizationId: "org", ref: "ns" }), "not_found");
    }),

    promise("doesn't take a namespace that is imported for a deleted one", async (records) => {
      const importOf = async (id: string) => {
        const configs = { embeddingConfig: {} as never, vectorStoreConfig: { provider: "STORE" } };
        const namespace = { id, organizationId: "org", name: id, slug: id, ...configs, now: 1 };
        await records.imports.begin({ namespace, sealed: [], delayMs: 1000 });
        return { namespaceId: id, organizationId: "org", now: 1, delayMs: 1000 };
      };
      const resolve = (ref: string) => records.namespaces.resolve({ organizationId: "org", ref, withDeleted: true });
      const running = await importOf("ns_running");
      await rejects(resolve("ns_running"), "not_found");
      await records.execute("UPDATE namespaces SET abandons_stores = 1 WHERE id = 'ns_running'");
      await records.imports.publish(running);
      assert.equal((await resolve("ns_running")).id, "ns_running");
      const [set] = await records.namespaces.listVectorSets({ ...running, withDiscarded: true });
      assert.equal(set?.vectorStoreConfig.provider, "STORE");
      await records.imports.abandon(await importOf("ns_abandoned"));
      assert.equal((await resolve("ns_abandoned")).id, "ns_abandoned");
    }),

    promise("keeps the queries of a namespace with the lowest random numbers, until they expire", async (records) => {
      const sampled = { namespaceId: "ns", keep: 2 };
      const add = (query: string, draw: number, tenantId: string | null = null, now = 0) =>
        records.sampledQueries.add({ ...sampled, query, draw, tenantId, now, expiresAt: draw });
      const list = (tenantId: string | null, now = 0, limit = 10) =>
        records.sampledQueries.list({ namespaceId: "ns", tenantId, now, limit });
      assert.equal(await add("high", 2 ** 53 - 1), null);
      assert.equal(await add("low", 10, "acme"), 2 ** 53 - 1);
      assert.equal(await add("middle", 20), 20);
      assert.equal(await add("higher", 30), 20);
      const low = { tenantId: "acme", query: "low" };
      assert.deepEqual(await list(null), [low, { tenantId: null, query: "middle" }]);
      assert.deepEqual(await list(null, 0, 1), [low]);
      assert.deepEqual(await list("acme"), [low]);
      assert.deepEqual(await list("acme", 10), []);
      assert.equal(await records.sampledQueries.prune({ now: 10 }), false);
      assert.equal((await list(null)).length, 1);
      // One that has expired takes no place.
      assert.equal(await add("newer", 30, null, 20), null);
      assert.deepEqual(await list(null), [{ tenantId: null, query: "newer" }]);
      await records.namespaces.delete({ namespaceId: "ns", organizationId: "org", now: 2 });
      assert.equal(await add("late", 5), null);
      assert.equal((await list(null)).length, 1);
    }),

    promise("keeps the newest clicks of a namespace", async (records) => {
      for (const id of ["a", "b", "c"]) {
        const click = { id, namespaceId: "ns", tenantId: null, question: "q", chunkId: "doc_1#0", createdAt: 1 };
        await records.clicks.add({ click, keep: 2 });
      }
      const range = { after: null, direction: "asc", offset: 0, limit: 10 } as const;
      const kept = await records.clicks.list({ namespaceId: "ns", tenantId: null, range });
      assert.deepEqual(
        kept.map(({ id }) => id),
        ["b", "c"],
      );
      await records.namespaces.delete({ namespaceId: "ns", organizationId: "org", now: 2 });
      const { lease } = (await claim(records, "one", 3))!;
      assert.equal(await records.clicks.purge({ lease, namespaceId: "ns" }), false);
      assert.deepEqual(await records.clicks.list({ namespaceId: "ns", tenantId: null, range }), []);
    }),

    promise("purges the golden questions of a namespace in steps", async (records) => {
      await records.execute(
        `INSERT INTO golden_questions (id, namespace_id, key, key_digest, question, answers, origin, status, created_at, updated_at)
         WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 700)
         SELECT 'gq_' || n, 'ns', 'k', 'd' || n, 'q', '[]', 'manual', 'active', 0, 0 FROM numbers`,
      );
      await records.namespaces.delete({ namespaceId: "ns", organizationId: "org", now: 2 });
      const write = { namespaceId: "ns", tenantId: null, questions: [], existing: "keep", limit: 1 } as const;
      await rejects(records.goldenQuestions.write(write), "not_found");
      const { lease } = (await claim(records, "one", 3))!;
      assert.equal(await records.goldenQuestions.purge({ lease, namespaceId: "ns" }), true);
      assert.equal(await records.goldenQuestions.purge({ lease, namespaceId: "ns" }), false);
    }),

    ...WEBHOOK_PROMISES.map(([name, check]) => promise(name, check)),

    promise("lists a namespace's jobs page by page, in both directions", async (records) => {
      for (const id of ["a", "b", "c"]) await records.jobs.create(newJob(id));
      const owner = { namespaceId: "ns", tenantId: null };
      const first = { after: null, direction: "desc", offset: 0, limit: 2 } as const;
      const jobs = await records.jobs.list({ ...owner, range: first });
      assert.deepEqual(
        jobs.map(({ id }) => id),
        ["c", "b"],
      );
      const rest = await records.jobs.list({ ...owner, range: { ...first, after: jobs[1]!.seq } });
      assert.deepEqual(
        rest.map(({ id }) => id),
        ["a"],
      );
      const waiting = await records.jobs.list({ ...owner, statuses: ["BACKLOG"], range: first });
      assert.deepEqual(
        waiting.map(({ id }) => id),
        ["c"],
      );
      assert.deepEqual(await records.jobs.listSizes({ ...owner, statuses: [], range: first }), []);
    }),
  ];
}

async function publish(records: Records, lease: Lease, seq: number, scopeId: number): Promise<void> {
  await records.documents.move({ lease, seq, status: "PRE_PROCESSING", now: 1 });
  const generation = (await records.documents.openGeneration({ lease, seq, now: 1 }))!;
  const content = contentOf(seq, scopeId, generation);
  const written = await records.documents.writeChunks({ lease, ...content, pendingVectors: null });
  assert.equal(written, true);
  assert.equal(await records.documents.publish(publication(lease, seq, generation)), true);
}

function contentOf(documentSeq: number, scopeId: number, generation: number) {
  const chunk = { ordinal: 0, embeddingKey: null, text: "one", indexText: "one", headings: [], page: null };
  return {
    documentSeq,
    scopeId,
    generation,
    metadata: {},
    chunks: [{ ...chunk, tokens: 1, start: 0, end: 3 }],
    stemming: 1,
    texts: [{ start: 0, text: "one", pageStarts: null }],
    cache: null,
  };
}

function feedbackOf(id: string, changes: object) {
  const feedback = {
    id,
    namespaceId: "ns",
    tenantId: null,
    question: "Where?",
    answer: "Here.",
    rating: "up",
  } as const;
  return { ...feedback, comment: "Thanks", chunkIds: '["doc_1#0"]', createdAt: 1, ...changes };
}

function rejects(call: Promise<unknown>, code: "conflict" | "not_found" | "not_ready"): Promise<void> {
  return assert.rejects(call, (error) => KnowledgeBaseError.is(error, code));
}
