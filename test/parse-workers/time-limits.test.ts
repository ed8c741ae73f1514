import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PeekableFile } from "#dist/parse-workers/peekable-file.js";
import { WorkerSlot } from "#dist/parse-workers/worker-slot.js";
import type { HostFactory } from "../../src/parse-workers/worker-host.js";
import type { RpcMessage } from "../../src/rpc/rpc-peer.js";
import { failureOf } from "../support/knowledge-base.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Starts parsing with a limit of one second, in a worker that sends only what the test says. */
async function startParsing() {
  let send: (message: RpcMessage) => void = () => {};
  let allowed = 0;
  const open: HostFactory = ({ onMessage }) => {
    send = onMessage;
    const raiseMemoryLimit = () => void allowed++;
    return { post() {}, ref() {}, unref() {}, isLarge: () => false, raiseMemoryLimit, terminate: async () => {} };
  };
  const chunk = { chunkSize: 100, maxChunkSize: 200, chunkOverlap: 0, delimiter: null, maxTokens: null };
  const file = new PeekableFile({ name: "a", mimeType: null, bytes: new Uint8Array([1]) });
  const options = { parse: {}, chunk: { ...chunk, countTokens: async () => [] } };
  const failure = failureOf(() => new WorkerSlot(open).prepare(file, options, 1000));
  await vi.advanceTimersByTimeAsync(0);
  return { send: (message: RpcMessage) => send(message), failure, allowed: () => allowed };
}

it("parsing without progress fails at its time limit", async () => {
  const { failure } = await startParsing();
  await vi.advanceTimersByTimeAsync(1000);
  const { code, message } = await failure;
  expect([code, message]).toEqual(["limit_exceeded", "Parsing took longer than 1 seconds and was stopped."]);
});

it("progress restarts the time limit and allows more memory, and parsing fails at four times the limit", async () => {
  const { failure, send, allowed } = await startParsing();
  for (let step = 0; step < 5; step++) {
    await vi.advanceTimersByTimeAsync(700);
    send({ kind: "call", id: null, name: "reportProgress", input: null });
  }
  expect(allowed()).toBe(5);
  await vi.advanceTimersByTimeAsync(500);
  const { code, message } = await failure;
  expect([code, message]).toEqual(["limit_exceeded", "Parsing took longer than 4 seconds and was stopped."]);
});
