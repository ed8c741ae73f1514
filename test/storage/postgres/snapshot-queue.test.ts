import { expect, it, onTestFinished, vi } from "vitest";
import { KnowledgeBaseError } from "#dist/errors.js";
import { SnapshotQueue } from "#dist/storage/postgres/search-index/snapshot.js";

it("fails searches that have waited behind one which did not reach the server, and tries later ones", async () => {
  const waiting: { resolve(): void; reject(error: unknown): void }[] = [];
  const read = () => new Promise<never>((resolve, reject) => waiting.push({ resolve: () => resolve(null!), reject }));
  const queue = new SnapshotQueue({ read, write: read });
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const search = () => queue.read(async () => null);
  const [first, early] = [search(), search()].map((call) => call.catch((error: unknown) => error));
  now = 25_000;
  const late = search();
  now = 30_000;
  await vi.waitUntil(() => waiting.length === 1);
  const unreachable = new KnowledgeBaseError("store_failed", "The server is gone.", { retryable: true });
  waiting[0]!.reject(unreachable);
  expect(await Promise.all([first, early])).toEqual([unreachable, unreachable]);
  await vi.waitUntil(() => waiting.length === 2);
  waiting[1]!.resolve();
  expect(await late).toBe(null);
});
