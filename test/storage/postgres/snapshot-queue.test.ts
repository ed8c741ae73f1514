import { expect, it, onTestFinished, vi } from "vitest";
import { ConnectionFailure, toKnowledgeBaseError } from "#dist/storage/postgres/failures.js";
import { SnapshotQueue } from "#dist/storage/postgres/search-index/snapshot.js";

it("fails searches that have waited behind one which did not reach the server, and tries later ones", async () => {
  const { search, waiting, at } = openQueue();
  const [first, early] = [search(), search()].map((call) => call.catch((error: unknown) => error));
  at(25_000);
  const late = search();
  at(30_000);
  await vi.waitUntil(() => waiting.length === 1);
  const unreachable = toKnowledgeBaseError(new ConnectionFailure("read ETIMEDOUT"));
  waiting[0]!.reject(unreachable);
  expect(await Promise.all([first, early])).toEqual([unreachable, unreachable]);
  await vi.waitUntil(() => waiting.length === 2);
  waiting[1]!.resolve();
  expect(await late).toBe(null);
});

it.each([
  ["a statement took too long", "57014"],
  ["of a conflict", "40001"],
])("runs searches that have waited behind one which failed because %s", async (_, code) => {
  const { search, waiting, at } = openQueue();
  const [first, second] = [search().catch((error: unknown) => error), search()];
  at(30_000);
  await vi.waitUntil(() => waiting.length === 1);
  const failed = toKnowledgeBaseError(Object.assign(new Error("The server refused."), { severity: "ERROR", code }));
  expect(failed.retryable).toBe(true);
  waiting[0]!.reject(failed);
  expect(await first).toBe(failed);
  await vi.waitUntil(() => waiting.length === 2);
  waiting[1]!.resolve();
  expect(await second).toBe(null);
});

/** A queue whose searches end when the test says, by a clock that the test sets. */
function openQueue() {
  const waiting: { resolve(): void; reject(error: unknown): void }[] = [];
  const read = () => new Promise<never>((resolve, reject) => waiting.push({ resolve: () => resolve(null!), reject }));
  const queue = new SnapshotQueue({ read, write: read });
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  return { waiting, search: () => queue.read(async () => null), at: (ms: number) => (now = ms) };
}
