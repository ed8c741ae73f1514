import pg from "pg";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { KnowledgeBase } from "#dist/index.js";
import { LEXICAL } from "../../support/knowledge-base.js";
import { openTestDatabase, POSTGRES_MISSING } from "../../support/postgres.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const database = await openTestDatabase();
afterAll(() => database?.drop());

describe.skipIf(!database)(`a re-embedding${database ? "" : ` (${POSTGRES_MISSING})`}`, () => {
  it("is discarded although a worker ends its task at the same time", async () => {
    const { handle, other } = await start("ended");
    // As a worker that finds the set complete.
    await other.query("BEGIN; SELECT 1 FROM tasks WHERE kind = 'reembed' FOR NO KEY UPDATE");
    await other.query("SELECT 1 FROM reembeddings FOR NO KEY UPDATE");
    const discarded = handle.reembedding.discard();
    await untilOneWaits(other);
    await other.query("DELETE FROM tasks WHERE kind = 'reembed'; COMMIT");
    await discarded;
    const { rows } = await other.query("SELECT count(*)::int AS tasks FROM tasks WHERE kind = 'reembed'");
    expect(rows).toEqual([{ tasks: 1 }]);
    await other.query("DELETE FROM tasks; DELETE FROM reembeddings");
  });

  it("locks the namespace before its scopes, so that none is added during the exchange", async () => {
    const { handle, other } = await start("added");
    const { rows } = await other.query(
      "INSERT INTO scopes (namespace_id, tenant_id, vector_set) SELECT id, NULL, 0 FROM namespaces WHERE slug = 'added' RETURNING id",
    );
    await other.query("BEGIN; SELECT 1 FROM namespaces WHERE slug = 'added' FOR NO KEY UPDATE");
    const switched = handle.reembedding.cutOver();
    await untilOneWaits(other);
    await other.query("SELECT 1 FROM scopes WHERE id = $1 FOR NO KEY UPDATE NOWAIT", [rows[0].id]);
    await other.query("COMMIT");
    expect(await switched).toMatchObject({ state: "cut_over" });
    // The names that processes of earlier versions read.
    const stored = await other.query("SELECT state, wants_switch FROM reembeddings WHERE state = 'switched'");
    expect(stored.rows).toMatchObject([{ state: "switched" }]);
  });

  it("is not cut over without the vectors of what was published after the look for missing ones", async () => {
    const { handle, other } = await start("late", {});
    await handle.ingest({ type: "TEXT", text: "The lamp is lit." }).done();
    await handle.reembedding.wait();
    await other.query("BEGIN; SELECT 1 FROM namespaces WHERE slug = 'late' FOR NO KEY UPDATE");
    const requested = handle.reembedding.cutOver();
    await untilOneWaits(other);
    await other.query(
      `WITH scope AS (UPDATE scopes SET epoch = epoch + 1 WHERE namespace_id = (SELECT id FROM namespaces WHERE slug = 'late')
         RETURNING id, epoch)
       INSERT INTO scope_changes (scope_id, epoch, document_seq)
       SELECT scope.id, epoch, d.seq FROM scope JOIN documents d ON d.scope_id = scope.id`,
    );
    await other.query("DELETE FROM odd_vectors; COMMIT");
    expect(await requested).toMatchObject({ state: "ready", isCutOverRequested: true });
    expect(await handle.reembedding.wait()).toMatchObject({ state: "cut_over" });
  });
});

/** Starts a re-embedding, by default without a worker that continues it, and connects another session to its database. */
async function start(slug: string, worker: false | object = false) {
  const { url } = database!;
  const kb = new KnowledgeBase({
    ...{ directory: temporaryDirectory(), database: url, masterKey: "99".repeat(32), sharedDirectory: true },
    worker,
  });
  onTestFinished(() => kb.close());
  await kb.namespaces.create({ name: slug, slug, embeddingConfig: LEXICAL });
  const handle = kb.namespace(slug);
  await handle.reembedding.start({ embeddingConfig: { provider: "MANAGED_STATIC" } });
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  return { handle, other };
}

/** Waits until a session of the database waits for a lock. */
async function untilOneWaits(client: pg.Client): Promise<void> {
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await expect.poll(async () => (await client.query(waiting)).rowCount).toBe(1);
}
