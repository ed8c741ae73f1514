import { getEventListeners, setMaxListeners } from "node:events";
import type { CallUsage, EventType, KnowledgeBaseEvent } from "lorebase";
import { type FakeLanguageModelOptions, fakeLanguageModel, manualClock } from "lorebase/testing";
import { expect, test } from "vitest";
import { EventBus } from "#dist/events/event-bus.js";
import { vendorError } from "#dist/net/vendor-error.js";
import { CallGuard } from "#dist/resilience/call-guard.js";
import { streamLanguageModel } from "#dist/resilience/guarded-drivers.js";
import type { FinishReason, GenerateOptions, LanguageModel } from "../../src/interfaces/language-model.js";
import { failureOf } from "../support/knowledge-base.js";

const ASKED = [{ role: "user", content: "When is the lamp lit?" }] as const;
const TIMEOUT_MS = 60_000;
const STALL = new Promise<never>(() => {});
const refusal = (status: number) =>
  vendorError({ code: "provider_failed", vendor: "Vendor", status, message: "no", headers: {} });

function world({ concurrency = 4, ...options }: FakeLanguageModelOptions & { concurrency?: number } = {}) {
  const clock = manualClock();
  const events = new EventBus();
  const heard: KnowledgeBaseEvent[] = [];
  for (const type of ["provider.call", "provider.retry", "warning"] satisfies EventType[])
    events.on(type, (event) => void heard.push(event));
  const limits = { attempts: 3, backoffMs: 1000, timeoutMs: TIMEOUT_MS };
  const guard = new CallGuard({ limits, clock: { ...clock, random: () => 0.5 }, events });
  const fake = fakeLanguageModel({ chunkSize: 100, ...options });
  /** The signals that the model was given, in order. */
  const signals: AbortSignal[] = [];
  const model: LanguageModel = {
    provider: fake.provider,
    model: fake.model,
    hosted: { endpoint: "https://vendor.test/v1", concurrency },
    generate(messages, call = {}) {
      signals.push(call.signal!);
      return fake.generate(messages, call);
    },
  };
  const generate = streamLanguageModel(model, guard);
  const begin = (call: GenerateOptions = {}) => generate(ASKED, call)[Symbol.asyncIterator]();
  const outcomes = () => heard.flatMap((event) => (event.type === "provider.call" ? [event.outcome] : []));
  return { clock, fake, signals, generate, begin, heard, outcomes };
}

async function collect(answer: AsyncIterable<unknown>, parts: unknown[] = []) {
  for await (const part of answer) parts.push(part);
  return parts;
}

/** Advances the clock until a call is over. */
async function settle<Result>(clock: { advance(ms: number): Promise<void> }, call: Promise<Result>): Promise<Result> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  call.then(end, end);
  while (!isOver) await clock.advance(250);
  return call;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("streams text and tool calls, and reports usage, finish reason and one call", async () => {
  const call = { id: "a", name: "search", input: { query: "lamp" } };
  const { generate, fake, heard } = world({
    script: [["I search.", call]],
    usage: { inputTokens: 5, outputTokens: 2 },
  });
  const usages: CallUsage[] = [];
  const ends: FinishReason[] = [];
  const tools = [{ name: "search", description: "Searches.", inputSchema: {} }];
  const options = {
    tools,
    temperature: 0,
    onUsage: (u: CallUsage) => usages.push(u),
    onFinish: (r: FinishReason) => ends.push(r),
  };
  expect(await collect(generate(ASKED, options))).toEqual(["I search.", call]);
  expect([usages, ends]).toEqual([[{ inputTokens: 5, outputTokens: 2 }], ["tool-calls"]]);
  expect(fake.calls).toEqual([{ messages: ASKED, tools, temperature: 0 }]);
  expect(heard).toEqual([
    expect.objectContaining({
      type: "provider.call",
      operation: "generate",
      outcome: "ok",
      attempts: 1,
      usage: { inputTokens: 5, outputTokens: 2 },
      error: null,
    }),
  ]);
});

test("calls nothing before the first part is requested", async () => {
  const { begin, fake, heard } = world();
  const answer = begin();
  await turn();
  expect(fake.calls).toHaveLength(0);
  await answer.return?.();
  expect([fake.calls.length, heard]).toEqual([0, []]);
});

test("repeats a call that fails before its first part", async () => {
  const { generate, clock, fake, heard } = world({ script: [refusal(500), refusal(429)], answer: "At dusk." });
  expect(await settle(clock, collect(generate(ASKED)))).toEqual(["At dusk."]);
  expect(fake.calls).toHaveLength(3);
  expect(heard.map(({ type }) => type)).toEqual(["provider.retry", "provider.retry", "provider.call"]);
  expect(heard.at(-1)).toMatchObject({ outcome: "ok", attempts: 3 });
});

test("repeats no call after its first part", async () => {
  const { generate, fake, outcomes } = world({ script: [["At ", refusal(500)]], answer: "At dusk." });
  const parts: unknown[] = [];
  const error = await failureOf(() => collect(generate(ASKED), parts));
  expect([error.code, error.retryable, error.httpStatus]).toEqual(["provider_failed", true, 500]);
  expect([parts, fake.calls.length, fake.open, outcomes()]).toEqual([["At "], 1, 0, ["failed"]]);
});

test("repeats no call that fails for good", async () => {
  const { generate, fake, outcomes } = world({ script: [refusal(401)] });
  const error = await failureOf(() => collect(generate(ASKED)));
  expect([error.httpStatus, fake.calls.length, outcomes()]).toEqual([401, 1, ["failed"]]);
});

test("gives up after the last attempt", async () => {
  const { generate, clock, fake } = world({ answer: () => refusal(503) });
  const error = await settle(
    clock,
    failureOf(() => collect(generate(ASKED))),
  );
  expect([error.httpStatus, fake.calls.length]).toEqual([503, 3]);
});

test("rejects an answer without a finish reason", async () => {
  const { clock } = world();
  const guard = new CallGuard({
    limits: { attempts: 3, backoffMs: 1, timeoutMs: 1000 },
    clock: { ...clock, random: () => 0 },
    events: new EventBus(),
  });
  async function* generate() {
    yield "At";
  }
  const parts: unknown[] = [];
  const answer = streamLanguageModel({ provider: "FAKE", model: "one", generate }, guard)(ASKED);
  const error = await failureOf(() => collect(answer, parts));
  expect([error.code, parts]).toEqual(["provider_failed", ["At"]]);
  expect(error.message).toBe("one ended its answer without a finish reason.");
});

test.each([false, true])(
  "times out before the first part and tries again (ignoresSignal: %s)",
  async (ignoresSignal) => {
    const { generate, clock, fake, signals } = world({ script: [[STALL]], answer: "At dusk.", ignoresSignal });
    const answer = collect(generate(ASKED));
    await turn();
    await clock.advance(TIMEOUT_MS - 1);
    expect(fake.calls).toHaveLength(1);
    expect(signals[0]!.aborted).toBe(false);
    expect(await settle(clock, answer)).toEqual(["At dusk."]);
    expect([fake.calls.length, signals[0]!.aborted]).toEqual([2, true]);
  },
);

test("a call that ends after its timeout reports nothing", async () => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const script = [[gate, { finish: "length" } as const], ["At dusk."]];
  const { generate, clock, fake } = world({ script, ignoresSignal: true });
  const ends: FinishReason[] = [];
  const answer = collect(generate(ASKED, { onFinish: (reason) => ends.push(reason) }));
  await turn();
  expect(await settle(clock, answer)).toEqual(["At dusk."]);
  open();
  await turn();
  expect([fake.calls.length, fake.open, ends]).toEqual([2, 0, ["stop"]]);
});

test("times out between parts, however long the whole answer takes", async () => {
  const gates = [0, 1].map(() => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { gate, open };
  });
  const script = [["a", gates[0]!.gate, "b", gates[1]!.gate, "c", STALL]];
  const { generate, clock, fake, signals } = world({ script, ignoresSignal: true });
  const parts: unknown[] = [];
  const failure = failureOf(() => collect(generate(ASKED), parts));
  for (const { open } of gates) {
    await turn();
    await clock.advance(TIMEOUT_MS - 1);
    open();
  }
  await turn();
  await clock.advance(TIMEOUT_MS - 1);
  expect([parts, signals[0]!.aborted]).toEqual([["a", "b", "c"], false]);
  await clock.advance(1);
  const error = await failure;
  expect([error.code, error.retryable]).toEqual(["provider_failed", true]);
  expect(error.message).toBe("FAKE (https://vendor.test/v1) timed out after 60 s.");
  expect([fake.calls.length, signals[0]!.aborted]).toEqual([1, true]);
});

test("has no time limit while the consumer works on a part", async () => {
  const { begin, clock } = world({ script: [["a", "b"]] });
  const answer = begin();
  await answer.next();
  expect(clock.sleeping).toBe(0);
  await clock.advance(10 * TIMEOUT_MS);
  expect(await answer.next()).toEqual({ done: false, value: "b" });
});

test.each([false, true])("an abort ends the call in the same tick (ignoresSignal: %s)", async (ignoresSignal) => {
  const { begin, fake, signals, outcomes, clock } = world({ answer: () => ["At ", STALL], ignoresSignal });
  const controller = new AbortController();
  const reason = new Error("enough");
  const answer = begin({ signal: controller.signal });
  await answer.next();
  const pending = answer.next();
  controller.abort(reason);
  expect([signals[0]!.aborted, signals[0]!.reason]).toEqual([true, reason]);
  await expect(pending).rejects.toBe(reason);
  expect([fake.calls.length, outcomes(), clock.sleeping]).toEqual([1, ["aborted"], 0]);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("an abort ends the call while the consumer works on a part", async () => {
  const { begin, fake, signals } = world({ answer: () => ["At ", "dusk."], concurrency: 1 });
  const controller = new AbortController();
  const answer = begin({ signal: controller.signal });
  await answer.next();
  controller.abort();
  expect(signals[0]!.aborted).toBe(true);
  await turn();
  expect(fake.open).toBe(0);
  // The permit is free although the aborted answer was not asked for another part.
  expect(await begin().next()).toEqual({ done: false, value: "At " });
  await expect(answer.next()).rejects.toMatchObject({ name: "AbortError" });
});

test("an abort at any moment after the first part ends the call", async () => {
  for (let delay = 0; delay < 30; delay++) {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { begin, fake, signals } = world({ answer: () => [gate, "At ", STALL] });
    const controller = new AbortController();
    const answer = begin({ signal: controller.signal });
    const first = answer.next().catch((error: Error) => error.name);
    await turn();
    open();
    for (let tick = 0; tick < delay; tick++) await Promise.resolve();
    controller.abort();
    expect([{ done: false, value: "At " }, "AbortError"]).toContainEqual(await first);
    await turn();
    expect([signals[0]!.aborted, fake.open]).toEqual([true, 0]);
    await answer.return?.();
  }
});

test("an aborted signal calls nothing", async () => {
  const { begin, fake } = world();
  await expect(begin({ signal: AbortSignal.abort() }).next()).rejects.toMatchObject({ name: "AbortError" });
  expect(fake.calls).toHaveLength(0);
});

test("leaving the loop cancels the call", async () => {
  const { generate, fake, signals, outcomes } = world({ answer: () => ["At ", STALL] });
  const { signal } = new AbortController();
  for await (const part of generate(ASKED, { signal })) if (part) break;
  expect([signals[0]!.aborted, fake.open, outcomes()]).toEqual([true, 0, ["aborted"]]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test.each([
  ["first", [STALL]],
  ["next", ["At ", STALL]],
])("leaving while the %s part is pending cancels the call at once", async (_, answer) => {
  const { begin, signals, outcomes } = world({ answer: () => answer, ignoresSignal: true });
  const parts = begin();
  if (answer.length > 1) await parts.next();
  const pending = parts.next();
  await turn();
  const left = parts.return?.();
  expect(signals[0]!.aborted).toBe(true);
  expect([await pending, await left]).toEqual([
    { done: true, value: undefined },
    { done: true, value: undefined },
  ]);
  expect(outcomes()).toEqual(["aborted"]);
});

test("holds its permit until the stream ends, fails or is left", async () => {
  const script = [
    ["a", "b"],
    ["a", refusal(401)],
    ["a", "b"],
  ];
  const { begin, fake } = world({ script, answer: "At dusk.", concurrency: 1 });
  const endings = [
    async (answer: AsyncIterator<unknown>) => {
      await answer.next();
      await answer.next();
    },
    (answer: AsyncIterator<unknown>) => failureOf(() => answer.next()),
    (answer: AsyncIterator<unknown>) => answer.return?.(),
  ];
  let answer = begin();
  await answer.next();
  for (const [index, end] of endings.entries()) {
    const waiting = begin();
    const first = waiting.next();
    await turn();
    expect(fake.calls).toHaveLength(index + 1);
    await end(answer);
    expect((await first).done).toBe(false);
    answer = waiting;
  }
});

test("opens the circuit for a service that is down, and closes it with the first part", async () => {
  const { begin, clock, fake, heard } = world({ script: Array(9).fill(refusal(500)), answer: "At dusk." });
  const fail = () =>
    settle(
      clock,
      failureOf(() => begin().next()),
    );
  for (let round = 0; round < 3; round++) await fail();
  expect(heard.some(({ type }) => type === "warning")).toBe(true);
  expect(fake.calls).toHaveLength(8);
  expect((await fail()).deferred).toBe(true);
  expect(fake.calls).toHaveLength(8);
  await clock.advance(30_000);
  await settle(
    clock,
    failureOf(() => begin().next()),
  );
  await clock.advance(60_000);
  const answer = begin();
  expect((await answer.next()).done).toBe(false);
  expect((await begin().next()).done).toBe(false);
});

test("counts failures after the first part for the circuit", async () => {
  const { begin, heard } = world({ answer: () => ["At ", refusal(500)], concurrency: 8 });
  const answers = Array.from({ length: 8 }, () => begin());
  for (const answer of answers) await answer.next();
  for (const answer of answers) await failureOf(() => answer.next());
  expect(heard.filter(({ type }) => type === "warning")).toHaveLength(1);
  expect((await failureOf(() => begin().next())).deferred).toBe(true);
});

test("500 aborted and 500 left streams leave no listener, open call, timer or permit", async () => {
  const { begin, clock, fake, signals, outcomes } = world({ answer: () => ["At ", STALL], concurrency: 3 });
  const shared = new AbortController();
  setMaxListeners(0, shared.signal);
  await Promise.all(
    Array.from({ length: 1000 }, async (_, index) => {
      const own = new AbortController();
      const answer = begin({ signal: index % 2 === 0 ? own.signal : shared.signal });
      await answer.next();
      if (index % 2 === 1) return void (await answer.return?.());
      const pending = answer.next();
      own.abort();
      await expect(pending).rejects.toMatchObject({ name: "AbortError" });
      expect(getEventListeners(own.signal, "abort")).toEqual([]);
    }),
  );
  expect([fake.calls.length, fake.open, clock.sleeping]).toEqual([1000, 0, 0]);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
  expect(getEventListeners(shared.signal, "abort")).toEqual([]);
  expect(outcomes()).toEqual(Array(1000).fill("aborted"));
  const last = [begin(), begin(), begin()];
  expect((await Promise.all(last.map((answer) => answer.next()))).every(({ done }) => !done)).toBe(true);
});
