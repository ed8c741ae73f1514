import type { CallUsage, EventType, KnowledgeBaseError, KnowledgeBaseEvent } from "lorebase";
import { fakeEmbedder, manualClock } from "lorebase/testing";
import { describe, expect, it } from "vitest";
import { EventBus } from "#dist/events/event-bus.js";
import { vendorError } from "#dist/net/vendor-error.js";
import { CallGuard, type CallLimits } from "#dist/resilience/call-guard.js";
import { guardEmbedder, guardReranker, guardVectorStore } from "#dist/resilience/guarded-drivers.js";
import type { Embedder } from "../../src/interfaces/embedder.js";
import type { HostedCallOptions } from "../../src/interfaces/hosted.js";
import { failureOf } from "../support/knowledge-base.js";

type Act = (options: HostedCallOptions) => unknown;

const ENDPOINT = "https://vendor.test/v1";

function refusal(status: number | null, headers: Record<string, string> = {}): KnowledgeBaseError {
  return vendorError({ code: "provider_failed", vendor: "Vendor", status, message: "no", headers });
}
const fail = (error: unknown) => () => {
  throw error;
};
const work = () => {};
/** Never ends, whatever its signal says. */
const stall = () => new Promise<never>(() => {});

function world({ random = 0.5, ...limits }: Partial<CallLimits> & { random?: number } = {}) {
  const clock = manualClock();
  const events = new EventBus();
  const guard = new CallGuard({
    limits: { attempts: 5, backoffMs: 1000, timeoutMs: 60_000, ...limits },
    clock: { ...clock, random: () => random },
    events,
  });
  const heard: KnowledgeBaseEvent[] = [];
  for (const type of ["provider.call", "provider.retry", "warning"] satisfies EventType[])
    events.on(type, (event) => void heard.push(event));

  /** An embedder that does as its script says, and counts how often it was asked. */
  function hosted(
    script: Act[],
    { endpoint = ENDPOINT, concurrency = 4, timeoutMs = undefined as number | undefined } = {},
  ) {
    const fake = fakeEmbedder({ provider: "VENDOR", model: "v-1" });
    const state = { calls: 0, active: 0, peak: 0 };
    const embedder: Embedder = {
      ...fake,
      hosted: { endpoint, concurrency, ...(timeoutMs !== undefined && { timeoutMs }) },
      async embed(texts, options) {
        state.calls++;
        state.peak = Math.max(state.peak, ++state.active);
        try {
          await (script.shift() ?? work)(options);
        } finally {
          state.active--;
        }
        return fake.embed(texts, options);
      },
    };
    const guarded = guardEmbedder(embedder, guard);
    const ask = (signal?: AbortSignal, purpose: "query" | "document" = "document") =>
      guarded.embed(["text"], { purpose, signal });
    return { guarded, ask, state };
  }
  const ended = () => heard.filter((event) => event.type === "provider.call");
  const retries = () => heard.filter((event) => event.type === "provider.retry");
  return { clock, guard, hosted, heard, ended, retries };
}

/** Lets time pass until a call has ended. */
async function settled<Result>(clock: { advance(ms: number): Promise<void> }, call: Promise<Result>): Promise<Result> {
  let over = false;
  call.then(
    () => (over = true),
    () => (over = true),
  );
  while (!over) await clock.advance(250);
  return call;
}

describe("a call of a hosted driver", () => {
  it("is retried after transient failures with growing waits, and emits an event for each retry", async () => {
    const { clock, hosted, ended, retries } = world();
    const { ask, state } = hosted([fail(refusal(500)), fail(refusal(null)), fail(refusal(503))]);
    await settled(clock, ask());
    expect(state.calls).toBe(4);
    expect(retries().map(({ attempt, waitMs }) => [attempt, waitMs])).toEqual([
      [1, 500],
      [2, 1000],
      [3, 2000],
    ]);
    expect(ended()).toMatchObject([
      {
        provider: "VENDOR",
        model: "v-1",
        operation: "embed",
        outcome: "ok",
        attempts: 4,
        endpoint: ENDPOINT,
        error: null,
      },
    ]);
    expect(ended()[0]!.durationMs).toBeGreaterThanOrEqual(3500);
  });

  it("waits with full jitter and exponential backoff, up to 20 seconds", async () => {
    const none = world({ random: 0, attempts: 20 });
    const most = world({ random: 0.999999, attempts: 8 });
    for (const { clock, hosted } of [none, most]) {
      const { ask } = hosted(Array(7).fill(fail(refusal(500))));
      await settled(clock, ask());
    }
    expect(none.retries().map(({ waitMs }) => waitMs)).toEqual(Array(7).fill(0));
    expect(most.retries().map(({ waitMs }) => waitMs)).toEqual([1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
  });

  it.each([400, 401, 403, 404, 413, 422])(
    "ends at the first answer of %i, with what the vendor said",
    async (status) => {
      const { hosted, ended } = world();
      const { ask, state } = hosted([fail(refusal(status))]);
      const error = await failureOf(() => ask());
      expect(error).toMatchObject({ retryable: false, httpStatus: status, message: `Vendor answered ${status}: no` });
      expect(state.calls).toBe(1);
      expect(ended()).toMatchObject([{ outcome: "failed", attempts: 1, error: error.message }]);
    },
  );

  it("waits as long as the service asks, plus jitter", async () => {
    const { clock, hosted, retries } = world();
    const { ask } = hosted([
      fail(refusal(429, { "retry-after": "30" })),
      fail(refusal(429, { "retry-after-ms": "70" })),
    ]);
    await settled(clock, ask());
    expect(retries().map(({ waitMs }) => waitMs)).toEqual([30_500, 1070]);
  });

  it("fails at once when the service asks for more than 30 seconds", async () => {
    const { hosted } = world();
    const { ask, state } = hosted([fail(refusal(429, { "retry-after": "31" }))]);
    expect(await failureOf(() => ask())).toMatchObject({ retryable: true, retryAfterMs: 31_000 });
    expect(state.calls).toBe(1);
  });

  it("fails with the last failure, still retryable, when its attempts are used up", async () => {
    const { clock, hosted, ended } = world({ attempts: 3 });
    const { ask, state } = hosted([fail(refusal(500)), fail(refusal(500)), fail(refusal(502)), fail(refusal(500))]);
    expect(await failureOf(() => settled(clock, ask()))).toMatchObject({ retryable: true, httpStatus: 502 });
    expect(state.calls).toBe(3);
    expect(ended()).toMatchObject([{ outcome: "failed", attempts: 3 }]);
  });

  it("times out an attempt even if it ignores its signal", async () => {
    const { clock, hosted, retries } = world();
    const signals: (AbortSignal | undefined)[] = [];
    const minding: Act = ({ signal }) => {
      signals.push(signal);
      return new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason)));
    };
    const { ask, state } = hosted([stall, minding], { timeoutMs: 2000 });
    await settled(clock, ask());
    expect(state.calls).toBe(3);
    expect(signals[0]!.aborted).toBe(true);
    expect(retries().map(({ error }) => error)).toEqual(Array(2).fill(`VENDOR (${ENDPOINT}) timed out after 2 s.`));
  });

  it("treats an abort by the driver as a transient failure", async () => {
    const { clock, hosted } = world();
    const { ask, state } = hosted([fail(new DOMException("took too long", "TimeoutError"))]);
    await settled(clock, ask());
    expect(state.calls).toBe(2);
  });

  it("rethrows foreign errors without a retry", async () => {
    const { hosted } = world();
    const { ask, state } = hosted([fail(new TypeError("a defect"))]);
    await expect(ask()).rejects.toThrow(TypeError);
    expect(state.calls).toBe(1);
  });

  it.each([
    ["in an attempt that minds nothing", [stall]],
    ["in a wait", [fail(refusal(500))]],
  ])("ends with the caller's own reason, at once and unchanged: %s", async (_, script) => {
    const { clock, hosted, ended } = world();
    const { ask, state } = hosted(script);
    const caller = new AbortController();
    const call = ask(caller.signal);
    await clock.advance(10);
    const reason = new DOMException("enough", "AbortError");
    caller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(state.calls).toBe(1);
    expect(ended()).toMatchObject([{ outcome: "aborted", attempts: 1 }]);
    expect(clock.sleeping).toBe(0);
  });

  it("reports the usage of all attempts", async () => {
    const { clock, hosted, ended } = world();
    const paid = (inputTokens: number) => (options: HostedCallOptions) => options.onUsage?.({ inputTokens, units: 1 });
    const { guarded } = hosted([
      (options) => {
        paid(3)(options);
        throw refusal(null);
      },
      paid(4),
    ]);
    const heard: CallUsage[] = [];
    await settled(clock, guarded.embed(["text"], { purpose: "query", onUsage: (usage) => void heard.push(usage) }));
    expect(ended()[0]!.usage).toEqual({ inputTokens: 7, units: 2 });
    expect(heard.map(({ inputTokens }) => inputTokens)).toEqual([3, 4]);
  });

  it("waits for a slot of its driver until its caller aborts", async () => {
    const { clock, hosted } = world();
    const opened: (() => void)[] = [];
    const gate = () => new Promise<void>((resolve) => opened.push(resolve));
    const { ask, state } = hosted([gate, gate, gate, gate], { concurrency: 2 });
    const aborted = new AbortController();
    const calls = [ask(), ask(), ask(aborted.signal), ask(), ask()];
    await clock.advance(0);
    expect(state.calls).toBe(2);
    aborted.abort();
    await expect(calls[2]).rejects.toThrow("abort");
    for (let step = 0; step < 4; step++) {
      opened.shift()?.();
      await clock.advance(0);
    }
    await Promise.all(calls.toSpliced(2, 1));
    expect(state).toMatchObject({ calls: 4, peak: 2 });
  });

  it("runs a query before waiting documents", async () => {
    const { clock, hosted } = world();
    const opened: (() => void)[] = [];
    const gate = () => new Promise<void>((resolve) => opened.push(resolve));
    const { ask } = hosted([gate, gate, gate], { concurrency: 1 });
    const done: string[] = [];
    const calls = [
      ask().then(() => done.push("first")),
      ask().then(() => done.push("document")),
      ask(undefined, "query").then(() => done.push("query")),
    ];
    for (let step = 0; step < 3; step++) {
      await clock.advance(0);
      opened.shift()?.();
    }
    await Promise.all(calls);
    expect(done).toEqual(["first", "query", "document"]);
  });
});

describe("a service that is down", () => {
  /** Eight failures in a row. */
  async function down(setup = world({ attempts: 4 })) {
    const vendor = setup.hosted(Array(8).fill(fail(refusal(503))));
    for (let call = 0; call < 2; call++) await failureOf(() => settled(setup.clock, vendor.ask()));
    return { ...setup, vendor };
  }

  it("is not called after eight failures in a row, by any driver of its endpoint", async () => {
    const { heard, hosted, vendor, clock } = await down();
    expect(heard.filter(({ type }) => type === "warning")).toHaveLength(1);
    const other = hosted([]);
    const elsewhere = hosted([], { endpoint: "https://elsewhere.test" });
    for (const { ask } of [vendor, other]) {
      const error = await failureOf(() => ask());
      expect(error).toMatchObject({ code: "provider_failed", retryable: true, deferred: true });
      expect(error.retryAfterMs).toBeGreaterThan(29_000);
      expect(error.message).toContain(
        `not called again until ${new Date(clock.now() + error.retryAfterMs!).toISOString()}`,
      );
      expect(error.message).toContain("Vendor answered 503: no");
    }
    expect(vendor.state.calls).toBe(8);
    expect(other.state.calls).toBe(0);
    await elsewhere.ask();
  });

  it("gets one probe call after 30 seconds, whose success closes the circuit", async () => {
    const { clock, hosted } = await down();
    const answers: (() => void)[] = [];
    const { ask, state } = hosted([() => new Promise<void>((resolve) => answers.push(resolve))]);
    await clock.advance(30_000);
    const probe = ask();
    await clock.advance(0);
    expect(await failureOf(() => ask())).toMatchObject({ retryable: true });
    expect(state.calls).toBe(1);
    answers[0]!();
    await probe;
    await ask();
    expect(state.calls).toBe(2);
  });

  it("is not called for twice as long when it fails again, up to five minutes", async () => {
    const { clock, hosted } = await down();
    await clock.advance(30_000);
    for (const rest of [60, 120, 240, 300, 300]) {
      const { ask, state } = hosted([fail(refusal(500))]);
      const error = await failureOf(() => settled(clock, ask()));
      expect(state.calls).toBe(1);
      // The first attempt reached it; the circuit is open for the next ones.
      expect(error.deferred).toBe(false);
      expect(Math.ceil(error.retryAfterMs! / 30_000) * 30).toBe(rest);
      await clock.advance(rest * 1000);
    }
  });

  it("is probed by the next call when the probe is aborted", async () => {
    const { clock, hosted } = await down();
    await clock.advance(30_000);
    const { ask, state } = hosted([stall]);
    const caller = new AbortController();
    const probe = ask(caller.signal);
    await clock.advance(0);
    caller.abort();
    await expect(probe).rejects.toThrow();
    await ask();
    expect(state.calls).toBe(2);
  });

  it.each([401, 400, 429])("is not taken for down when it answers %i", async (status) => {
    const setup = world({ attempts: 1 });
    const { ask, state } = setup.hosted(Array(20).fill(fail(refusal(status))));
    for (let call = 0; call < 20; call++) await failureOf(() => ask());
    expect(state.calls).toBe(20);
  });
});

describe("other drivers", () => {
  it.each([
    [{ concurrency: 0 }, /^hosted\.concurrency must be an integer from 1 .* sets 0$/],
    [{ concurrency: Number.NaN }, /^hosted\.concurrency .* sets NaN$/],
    [
      { timeoutMs: Number.POSITIVE_INFINITY },
      /^hosted\.timeoutMs must be an integer from 1 to 2147483647; .* sets Infinity$/,
    ],
    [{ timeoutMs: 0.5 }, /^hosted\.timeoutMs /],
  ])("are refused with limits by which no call would be made: %o", async (limits, message) => {
    const { guard } = world();
    const driver = { ...fakeEmbedder(), hosted: { endpoint: ENDPOINT, ...limits } };
    expect(await failureOf(() => guardEmbedder(driver, guard))).toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(message),
    });
  });

  it("are returned unchanged if they call no service", () => {
    const { guard } = world();
    const embedder = fakeEmbedder();
    expect(guardEmbedder(embedder, guard)).toBe(embedder);
  });

  it("are guarded by the kind of their calls", async () => {
    const { clock, guard, ended } = world();
    const hosted = { endpoint: ENDPOINT };
    let failures = 0;
    const flaky =
      <Result>(result: Result) =>
      async () => {
        if (failures++ % 2 === 0) throw refusal(500);
        return result;
      };
    const reranker = guardReranker({ model: "vendor:r-1", hosted, rerank: flaky([{ index: 0, score: 1 }]) }, guard);
    class Store {
      readonly #kept = "kept";
      readonly provider = "STORE";
      readonly hosted = hosted;
      upsert = flaky(undefined);
      query = flaky([]);
      delete = flaky(undefined);
      async close() {
        expect(this.#kept).toBe("kept");
      }
    }
    const store = guardVectorStore(new Store(), guard);
    const scope = { organizationId: "org_1", namespaceId: "ns_1", tenantId: null };
    const calls = [
      () => reranker.rerank("query", ["passage"], { limit: 1 }),
      () => store.upsert(scope, []),
      () => store.query(scope, { vector: new Float32Array(8), topK: 1, filter: null }),
      () => store.delete(scope, "all"),
    ];
    for (const call of calls) await settled(clock, call() as Promise<unknown>);
    expect(ended().map(({ provider, model, operation, attempts }) => [provider, model, operation, attempts])).toEqual([
      ["vendor", "vendor:r-1", "rerank", 2],
      ["STORE", null, "upsert", 2],
      ["STORE", null, "query", 2],
      ["STORE", null, "delete", 2],
    ]);
    await store.close?.();
    expect(store.provider).toBe("STORE");
  });
});
