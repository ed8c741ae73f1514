import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { FreeSpace, type Reserve } from "#dist/storage/sqlite/free-space.js";
import { GroupCommit } from "#dist/storage/sqlite/group-commit.js";
import { openConnection } from "#dist/storage/sqlite/open-connection.js";
import { Statements } from "#dist/storage/sqlite/statements.js";
import type { SqlValue } from "../../src/storage/sql-value.js";
import type { ProcedureRequest, ThreadReply } from "../../src/storage/sqlite/thread-protocol.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

class CountingStatements extends Statements {
  commits = 0;

  override run(sql: string, ...parameters: SqlValue[]): number {
    if (sql === "COMMIT") this.commits++;
    return super.run(sql, ...parameters);
  }
}

/** A disk with a reserve, whose free space the test sets. */
function fakeReserve(): Mutable<Reserve> {
  return { bytes: 8 * MiB, freeBytesBeside: Number.POSITIVE_INFINITY, fill: () => true, release: () => true };
}
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
const MiB = 1024 * 1024;

/** The writer's side of a thread, without the thread. A deletion removes all notes. */
function openWriter(reserve: Reserve | null = null) {
  const connection = openConnection(join(temporaryDirectory(), "writer.db"), "writer");
  onTestFinished(() => void connection.close());
  connection.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT");
  const statements = new CountingStatements(connection);
  const replies = new Map<number, ThreadReply>();
  const run = ({ name, argument }: ProcedureRequest) =>
    name === "documents.delete"
      ? statements.run("DELETE FROM notes")
      : statements.run("INSERT INTO notes VALUES (?, ?)", ...(argument as SqlValue[]));
  const writer = new GroupCommit(
    statements,
    run,
    (reply) => replies.set(reply.id, reply),
    new FreeSpace(statements, reserve),
  );
  let sent = 0;
  return {
    connection,
    statements,
    replies,
    writer,
    send(argument: unknown, name: ProcedureRequest["name"] = "jobs.create"): number {
      const id = ++sent;
      writer.handle({ kind: "procedure", name, argument, id });
      return id;
    },
    failure(id: number) {
      const reply = replies.get(id);
      return reply && "failure" in reply ? reply.failure : null;
    },
    notes: () => connection.prepare("SELECT id FROM notes ORDER BY id").pluck().all(),
  };
}

const insert = (id: number, text: string | null = "text") => [id, text];

/** The next turn of the event loop: what was scheduled for it has run. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("the writer", () => {
  it("commits waiting writes once, and answers none before the commit", async () => {
    // A group is ended after a while: here none passes.
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { send, replies, statements, notes } = openWriter();
    for (let id = 1; id <= 100; id++) send(insert(id));
    expect(replies.size).toBe(0);
    await turn();
    expect(replies.size).toBe(100);
    expect(statements.commits).toBe(1);
    expect(notes()).toHaveLength(100);
  });

  it("ends a group after 256 writes, so that other processes can write", async () => {
    const { send, statements } = openWriter();
    for (let id = 1; id <= 600; id++) send(insert(id));
    await turn();
    expect(statements.commits).toBeGreaterThanOrEqual(3);
  });

  it("fails one write of a group without the others", async () => {
    const { send, failure, replies, notes } = openWriter();
    const [first, doubled, empty, last] = [send(insert(1)), send(insert(1)), send(insert(2, null)), send(insert(3))];
    await turn();
    expect(failure(doubled)).toMatchObject({ code: "store_failed", sqliteCode: "SQLITE_CONSTRAINT_PRIMARYKEY" });
    expect(failure(empty)).toMatchObject({ sqliteCode: "SQLITE_CONSTRAINT_NOTNULL", retryable: false });
    expect([first, last].map((id) => replies.get(id))).toEqual(
      [first, last].map((id) => expect.objectContaining({ id, value: expect.anything() })),
    );
    expect(notes()).toEqual([1, 3]);
  });
});

describe("a full disk", () => {
  const large = "x".repeat(100_000);

  it("fails every write of the group with one clear error, and recovers when there is space", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { send, failure, connection, notes } = openWriter();
    connection.pragma(`max_page_count = ${connection.pragma("page_count", { simple: true })}`);
    const ids = [send(insert(1, large)), send(insert(2, large))];
    await turn();
    for (const id of ids) {
      expect(failure(id)).toMatchObject({ code: "storage_full", retryable: true });
      expect(failure(id)?.message).toMatch(/^The disk of the database is full\./);
    }
    expect(notes()).toEqual([]);
    // Until the disk is looked at again, nothing is added.
    const refused = send(insert(1));
    await turn();
    expect(failure(refused)).toMatchObject({ code: "storage_full" });
    connection.pragma("max_page_count = 10000");
    vi.advanceTimersByTime(1000);
    const again = send(insert(1, large));
    await turn();
    expect(failure(again)).toBeNull();
    expect(notes()).toEqual([1]);
  });
});

describe("the writer, on a disk with little space", () => {
  it("refuses what doesn't fit beside the reserve, and runs the deletions of its group", () => {
    const reserve = fakeReserve();
    const { send, failure, replies, notes, writer, connection } = openWriter(reserve);
    send(insert(1));
    writer.end();
    reserve.freeBytesBeside = MiB;
    const added = send(insert(2, "x".repeat(MiB)));
    const deleted = send(null, "documents.delete");
    writer.end();
    expect(connection.inTransaction).toBe(false);
    expect(failure(added)).toMatchObject({ code: "storage_full", retryable: true });
    expect(replies.get(deleted)).toEqual({ id: deleted, value: 1 });
    expect(notes()).toEqual([]);
    expect(failure(send(insert(3)))).toMatchObject({ code: "storage_full" });
  });

  it("writes on while a reader keeps the log, whose space is taken already", () => {
    const reserve = fakeReserve();
    const { send, failure, notes, writer, connection } = openWriter(reserve);
    send(insert(1));
    writer.end();
    const reader = openConnection(connection.name, "reader");
    onTestFinished(() => void reader.close());
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM notes").get();
    send(insert(2, "x".repeat(MiB)));
    writer.end();
    reserve.freeBytesBeside = 1.5 * MiB;
    const small = send(insert(3));
    writer.end();
    expect(failure(small)).toBeNull();
    expect(notes()).toEqual([1, 2, 3]);
  });

  it("accepts content again once there is space", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const reserve = fakeReserve();
    const { send, failure, notes, writer } = openWriter(reserve);
    reserve.freeBytesBeside = MiB;
    send(insert(1, "x".repeat(2 * MiB)));
    writer.end();
    vi.advanceTimersByTime(1000);
    // As much as the refused write needs: 6 MiB and some pages.
    reserve.freeBytesBeside = 6 * MiB;
    expect(failure(send(insert(1)))).toMatchObject({ code: "storage_full" });
    vi.advanceTimersByTime(1000);
    reserve.freeBytesBeside = 7 * MiB;
    send(insert(1, "x".repeat(2 * MiB)));
    writer.end();
    expect(notes()).toEqual([1]);
  });
});
