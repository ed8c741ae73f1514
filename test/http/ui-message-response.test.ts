import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { uiMessageResponse } from "#dist/http/ui-message-stream/ui-message-response.js";
import type { UiMessageChunk } from "../../src/http/ui-message-stream/ui-message-chunk.js";

const START: UiMessageChunk = { type: "start", messageId: "m1", messageMetadata: { mode: "single" } };
const decode = ({ value }: { value?: Uint8Array | undefined }) => new TextDecoder().decode(value);

function open(chunks: (signal: AbortSignal) => AsyncGenerator<UiMessageChunk>, errorText = () => "It failed.") {
  const abort = new AbortController();
  const errors: unknown[] = [];
  const response = uiMessageResponse(chunks, {
    ...{ signal: abort.signal, errorText, onError: (error: unknown) => errors.push(error) },
  });
  return { abort, errors, response, reader: response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array> };
}

describe("uiMessageResponse", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("pings every 15 seconds while nothing else is sent, until it ends", async () => {
    let end = () => {};
    const { reader } = open(async function* () {
      yield START;
      await new Promise<void>((resolve) => (end = resolve));
    });
    expect(decode(await reader.read())).toBe(`data: ${JSON.stringify(START)}\n\n`);
    for (let ping = 0; ping < 2; ping++) {
      const next = reader.read();
      await vi.advanceTimersByTimeAsync(15_000);
      expect(decode(await next)).toBe(": ping\n\n");
    }
    const last = reader.read();
    end();
    expect(decode(await last)).toBe("data: [DONE]\n\n");
    expect((await reader.read()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("sends no pings to a client that doesn't read", async () => {
    const { reader } = open(async function* () {
      yield START;
    });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(decode(await reader.read())).toBe(`data: ${JSON.stringify(START)}\n\n`);
    expect(decode(await reader.read())).toBe("data: [DONE]\n\n");
  });

  it("stops pinging once the client closes the connection, even if the answer goes on", async () => {
    const { reader, abort } = open(async function* () {
      yield START;
      await new Promise(() => {});
    });
    await reader.read();
    abort.abort();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("stops pinging if nobody can be told of an error", async () => {
    const noText = () => {
      throw new Error("no text");
    };
    const { reader } = open(async function* () {
      yield START;
      throw new Error("secret");
    }, noText);
    await reader.read();
    await expect(reader.read()).rejects.toThrow("no text");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends with a generic error, and reports the real one", async () => {
    const { reader, errors } = open(async function* () {
      yield START;
      throw new Error("secret");
    });
    await reader.read();
    expect(decode(await reader.read())).toBe('data: {"type":"error","errorText":"It failed."}\n\ndata: [DONE]\n\n');
    expect(errors.map(String)).toEqual(["Error: secret"]);
    expect((await reader.read()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("aborts the answer if it is cancelled, and reports nothing", async () => {
    let signal: AbortSignal | null = null;
    const { reader, errors } = open(async function* (ended) {
      signal = ended;
      yield START;
      await new Promise((_, reject) => ended.addEventListener("abort", () => reject(ended.reason)));
    });
    await reader.read();
    await reader.cancel();
    expect(signal!.aborted).toBe(true);
    expect(errors).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
