import { KnowledgeBaseError } from "lorebase";
import { expect, it } from "vitest";
import { RpcPeer } from "#dist/rpc/rpc-peer.js";
import type { RpcPeer as Peer, RpcMessage } from "../../src/rpc/rpc-peer.js";

interface Remote {
  double(value: number): number;
  ask(value: number): Promise<number>;
  fail(input: null): never;
  uncloneable(input: null): unknown;
  note(value: number): void;
}

/** Two connected peers; the second calls `answer` of the first. */
function connect(answer: (value: number) => unknown = (value) => value) {
  const sent: RpcMessage[] = [];
  const notes: number[] = [];
  const local: Peer<Remote> = new RpcPeer<Remote>(
    (message) => {
      sent.push(message);
      remote.receive(structuredClone(message));
    },
    { answer },
  );
  const remote: Peer<{ answer(value: number): number }> = new RpcPeer(
    (message) => local.receive(structuredClone(message)),
    {
      double: (value: number) => value * 2,
      ask: async (value: number) => (await remote.call("answer", value)) + 1,
      fail() {
        const cause = new Error("The parser gave up.");
        throw new KnowledgeBaseError("limit_exceeded", "Too large.", { retryable: true, cause });
      },
      uncloneable: () => () => {},
      note: (value: number) => notes.push(value),
    },
  );
  return { local, sent, notes };
}

it("matches replies to their calls", async () => {
  const { local } = connect();
  expect(await Promise.all([1, 2, 3].map((value) => local.call("double", value)))).toEqual([2, 4, 6]);
});

it("lets both ends call each other at the same time", async () => {
  const { local } = connect((value) => value * 10);
  expect(await Promise.all([local.call("ask", 1), local.call("ask", 2)])).toEqual([11, 21]);
});

it("rejects with the handler's error, its code, retryability and cause", async () => {
  const failure = await connect()
    .local.call("fail", null)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(KnowledgeBaseError);
  expect(failure).toMatchObject({ code: "limit_exceeded", message: "Too large.", retryable: true });
  expect(failure).toMatchObject({ cause: { message: "The parser gave up." } });
});

it("rejects a call whose output cannot be cloned", async () => {
  await expect(connect().local.call("uncloneable", null)).rejects.toMatchObject({ code: "internal" });
});

it("sends no reply to a notification", () => {
  const { local, sent, notes } = connect();
  local.notify("note", 7);
  expect(notes).toEqual([7]);
  expect(sent).toEqual([{ kind: "call", id: null, name: "note", input: 7 }]);
});

it("rejects pending and later calls with the error that it was closed with, and replies no more", async () => {
  let reply: (value: number) => void = () => {};
  const { local, sent } = connect(
    () =>
      new Promise((resolve) => {
        reply = resolve;
      }),
  );
  const pending = local.call("ask", 1);
  const lost = new Error("lost");
  local.close(lost);
  await expect(pending).rejects.toBe(lost);
  await expect(local.call("double", 1)).rejects.toBe(lost);
  const before = sent.length;
  reply(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent.length).toBe(before);
});
