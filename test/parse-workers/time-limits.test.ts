import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { UnreadFile } from "#dist/parse-workers/unread-file.js";
import { PreparationSeat } from "#dist/parse-workers/worker-slot.js";
import type { FromWorkplace } from "../../src/parse-workers/protocol.js";
import type { OpenWorkplace } from "../../src/parse-workers/worker-host.js";
import { failureOf } from "../support/knowledge-base.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A document that is being parsed for a second at most by a workplace that says nothing by itself. */
async function underWay() {
  let say: (message: FromWorkplace) => void = () => {};
  let allowed = 0;
  const open: OpenWorkplace = ({ onMessage }) => {
    say = onMessage;
    const allowMore = () => void allowed++;
    return { post() {}, hold() {}, release() {}, isLarge: () => false, allowMore, end: async () => {} };
  };
  const chunk = { chunkSize: 100, maxChunkSize: 200, chunkOverlap: 0, delimiter: null, maxTokens: null };
  const file = new UnreadFile({ name: "a", mimeType: null, bytes: new Uint8Array([1]) });
  const options = { parse: {}, chunk: { ...chunk, countTokens: async () => [] } };
  const failure = failureOf(() => new PreparationSeat(open).prepare(file, options, 1000));
  await vi.advanceTimersByTimeAsync(0);
  return { say: (message: FromWorkplace) => say(message), failure, allowed: () => allowed };
}

it("parsing without progress ends at its limit", async () => {
  const { failure } = await underWay();
  await vi.advanceTimersByTimeAsync(1000);
  const { code, message } = await failure;
  expect([code, message]).toEqual(["limit_exceeded", "Parsing took longer than 1 seconds and was stopped."]);
});

it("parsing with progress has its time again and more memory, and ends at four times its limit", async () => {
  const { failure, say, allowed } = await underWay();
  for (let step = 0; step < 5; step++) {
    await vi.advanceTimersByTimeAsync(700);
    say({ kind: "progress" });
  }
  expect(allowed()).toBe(5);
  await vi.advanceTimersByTimeAsync(500);
  const { code, message } = await failure;
  expect([code, message]).toEqual(["limit_exceeded", "Parsing took longer than 4 seconds and was stopped."]);
});
