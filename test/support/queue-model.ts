import { KnowledgeBaseError } from "lorebase";
import { migrate } from "#dist/storage/sqlite/migrate.js";
import { MIGRATIONS } from "#dist/storage/sqlite/migrations/index.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { runProcedure } from "#dist/storage/sqlite/procedures.js";
import { SqliteTx } from "#dist/storage/sqlite/sqlite-tx.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import type { OperationName } from "../../src/storage/facade.js";
import type { Operation } from "../../src/storage/operation.js";
import type { RecordOperations } from "../../src/storage/records/index.js";
import type { StoredEvent } from "../../src/storage/records/statuses.js";
import type { ClaimedTask } from "../../src/storage/records/tasks.js";
import type { Status } from "../../src/types.js";

type Run<Name extends OperationName> = Name extends `${infer Noun extends keyof RecordOperations}.${infer Verb}`
  ? Verb extends keyof RecordOperations[Noun]
    ? RecordOperations[Noun][Verb]
    : never
  : never;
type Argument<Name extends OperationName> =
  Run<Name> extends (tx: never, argument: infer Given) => unknown ? Given : never;
type Result<Name extends OperationName> = Run<Name> extends (...given: never) => Operation<infer Value> ? Value : never;

const TWO_TEXTS = JSON.stringify({ type: "BATCH", items: ["one", "two"].map((text) => ({ type: "TEXT", text })) });

/** The queue without threads: its procedures on one connection, and workers that take one step when they are told to. */
export class QueueModel {
  /** The statuses of every job and document, in order, from its events. A document begins QUEUED. */
  readonly histories = new Map<string, Status[]>();
  readonly #connection = openConnection(":memory:", "writer");
  readonly #db = new Statements(this.#connection);
  readonly #tx = new SqliteTx(this.#db);
  readonly #capacity: number;
  #read = 0;
  #now = 0;
  #ids = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    migrate(this.#connection, MIGRATIONS);
    this.#db.run("INSERT INTO organizations (id, name, created_at) VALUES ('org', 'One', 0)");
    this.#db.run(`INSERT INTO namespaces (id, organization_id, name, slug, slug_key, embedding_config, vector_store_config, created_at)
      VALUES ('ns', 'org', 'One', 'one', 'one', '{}', '{}', 0)`);
  }

  close(): void {
    this.#connection.close();
  }

  all<Row>(sql: string): readonly Row[] {
    return this.#db.all<Row>(sql);
  }

  /** Runs a procedure as the writer does: one transaction, undone where it fails. */
  change<Name extends OperationName>(name: Name, argument: Argument<Name>): Result<Name> {
    this.#db.run("BEGIN IMMEDIATE");
    try {
      const result = runProcedure(this.#db, this.#tx, name, argument) as Result<Name>;
      this.#db.run("COMMIT");
      this.#follow();
      return result;
    } catch (error) {
      if (this.#db.connection.inTransaction) this.#db.run("ROLLBACK");
      throw error;
    }
  }

  /** What a caller asks for may be refused with a reason; anything else is a fault. */
  request(call: () => void): void {
    try {
      call();
    } catch (error) {
      if (!KnowledgeBaseError.is(error, "conflict") && !KnowledgeBaseError.is(error, "not_found")) throw error;
    }
  }

  get place() {
    return { organizationId: "org", capacity: this.#capacity, now: this.now() };
  }

  now(): number {
    return this.#now++;
  }

  id(prefix: string): string {
    return `${prefix}_${this.#ids++}`;
  }

  createJob(): void {
    const texts = {
      namespaceId: "ns",
      tenantId: null,
      externalId: null,
      name: null,
      sealed: [],
      payload: TWO_TEXTS,
      config: "{}",
    };
    this.change("jobs.create", { id: this.id("job"), ...texts, uploadKeys: [], ...this.place });
  }

  claim(owner: string): ClaimedTask | null {
    return this.change("tasks.claim", { owner, now: this.now(), leaseMs: 1e9 });
  }

  #follow(): void {
    const rows = this.#db.all<{ seq: number; ingest_job_id: string; data: string }>(
      "SELECT seq, ingest_job_id, data FROM events WHERE seq > ? ORDER BY seq",
      this.#read,
    );
    for (const { seq, ingest_job_id, data } of rows) {
      this.#read = seq;
      const event = JSON.parse(data) as StoredEvent;
      if (event.type === "crawl.ended" || event.type === "document.skipped") continue;
      const [id, first]: [string, Status[]] =
        event.type === "job.status" ? [ingest_job_id, []] : [event.documentId, ["QUEUED"]];
      const history = this.histories.get(id) ?? first;
      history.push(event.status);
      this.histories.set(id, history);
    }
  }
}
