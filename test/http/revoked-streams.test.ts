import { KnowledgeBase } from "lorebase";
import { describe, expect, it, onTestFinished } from "vitest";
import { KeyStreams, type KeyStreamsOptions, type StreamKey } from "#dist/http/key-streams.js";
import { startServer } from "./support/test-server.js";

/** A server without a worker, so that event streams stay open. */
async function idleServer() {
  const server = await startServer({ worker: false });
  onTestFinished(() => server.close());
  const waitingJob = async () => {
    const embeddingConfig = { provider: "MANAGED_LEXICAL" };
    const { id } = await server.kb.namespaces.create({ name: "Notes", slug: "notes", embeddingConfig });
    const job = await server.kb.ingestJobs.create(id, { payload: { type: "TEXT", text: "waits for a worker" } });
    return `/v1/namespace/${id}/ingest-jobs/${job.id}`;
  };
  const open = async (job: string, key: string) => {
    const response = await fetch(`${server.url}${job}/events`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(200);
    const stream = new EventText(response.body!);
    await expect.poll(() => stream.text).toContain("event: job.status");
    return stream;
  };
  return { server, waitingJob, open };
}

/** The text that a stream has sent so far. */
class EventText {
  text = "";
  readonly ended: Promise<string>;

  constructor(body: ReadableStream<Uint8Array>) {
    this.ended = this.#read(body.pipeThrough(new TextDecoderStream()));
  }

  async #read(parts: ReadableStream<string>): Promise<string> {
    for await (const part of parts) this.text += part;
    return this.text;
  }
}

describe("an open stream of events", () => {
  it("ends with an error once another process has revoked its key; streams of other keys continue", async () => {
    const { server, waitingJob, open } = await idleServer();
    const job = await waitingJob();
    const { apiKeys } = server.kb;
    const revoked = await apiKeys.create({ name: "revoked", scope: "read" });
    const kept = await apiKeys.create({ name: "kept", scope: "read" });
    const ending = await open(job, revoked.key);
    const going = await open(job, kept.key);

    const other = new KnowledgeBase({ directory: server.directory, worker: false });
    await other.apiKeys.delete(revoked.id);
    const revokedAt = performance.now();
    await other.close();
    const last = (await ending.ended).split("\n\n").at(-2)!;
    expect(performance.now() - revokedAt).toBeLessThan(5000);
    expect(last).toMatch(/^event: error\ndata: /);
    expect(JSON.parse(last.slice(last.indexOf("{")))).toEqual({
      success: false,
      error: {
        code: "unauthorized",
        message: "The API key is no longer valid.",
        doc_url: `${server.url}/api-reference/errors#unauthorized`,
      },
    });

    await expect(Promise.race([going.ended, Promise.resolve("open")])).resolves.toBe("open");
    await apiKeys.delete(kept.id);
    expect(await going.ended).toContain("event: error");
  });
});

describe("KeyStreams", () => {
  const bytes = new TextEncoder();

  function watch(find: KeyStreamsOptions["find"], keys: readonly StreamKey[]) {
    const errors: [unknown, string][] = [];
    const onError = (error: unknown, requestId: string) => void errors.push([error, requestId]);
    const streams = new KeyStreams({ find, onError, checkIntervalMs: 1 });
    const texts = keys.map((key) => {
      const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes.encode("first ")) });
      const response = new Response(body, { headers: { "content-type": "text/event-stream" } });
      return new EventText(streams.watch(response, key, () => bytes.encode("last")).body!);
    });
    return { texts, errors };
  }
  const key = (keyId: string, requiredScope: StreamKey["requiredScope"] = "read") => ({
    requestId: `of ${keyId}`,
    keyId,
    requiredScope,
  });

  it("looks up each key once for all streams, and none without streams", async () => {
    const asked: (readonly string[])[] = [];
    const find = async (ids: readonly string[]) => {
      asked.push(ids);
      return [];
    };
    const { texts } = watch(find, [key("a"), key("b"), key("a")]);
    expect(await Promise.all(texts.map(({ ended }) => ended))).toEqual(Array(3).fill("first last"));
    expect(asked).toEqual([["a", "b"]]);
  });

  it("ends a stream whose key no longer has the scope", async () => {
    const find = async () => [{ id: "a", scope: "read" as const }];
    const { texts } = watch(find, [key("a"), key("a", "write")]);
    expect(await texts[1]!.ended).toBe("first last");
    expect(texts[0]!.text).toBe("first ");
  });

  it("keeps streams open while checks fail, and reports the failure once until a check succeeds", async () => {
    const answers = ["fails", "fails", "succeeds", "fails", "fails"];
    const find = async () => {
      const answer = answers.shift();
      if (answer === "fails") throw new Error(`The disk is gone; ${answers.length} checks follow.`);
      return answer === undefined ? [] : [{ id: "a", scope: "read" as const }];
    };
    const { texts, errors } = watch(find, [key("a")]);
    expect(await texts[0]!.ended).toBe("first last");
    expect(errors.map(([error, requestId]) => [String(error), requestId])).toEqual([
      ["Error: The disk is gone; 4 checks follow.", "of a"],
      ["Error: The disk is gone; 1 checks follow.", "of a"],
    ]);
  });

  it("ends a stream whose client does not read, and stops checking its key", async () => {
    const asked: (readonly string[])[] = [];
    const find = async (ids: readonly string[]) => {
      asked.push(ids);
      return [{ id: "kept", scope: "read" as const }];
    };
    const streams = new KeyStreams({ find, onError: () => {}, checkIntervalMs: 1 });
    let cancelled = false;
    const body = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(bytes.encode("event ")),
        cancel: () => {
          cancelled = true;
        },
      });
    const headers = { "content-type": "text/event-stream" };
    const unread = streams.watch(new Response(body(), { headers }), key("revoked"), () => bytes.encode("last"));
    const kept = streams.watch(new Response(body(), { headers }), key("kept"), () => bytes.encode("last"));
    onTestFinished(() => kept.body!.cancel());

    await expect.poll(() => cancelled && asked.length > 1).toBe(true);
    expect(asked.slice(0, 2)).toEqual([["revoked", "kept"], ["kept"]]);
    expect(await unread.text()).toMatch(/^(event )+last$/);
  });

  it("leaves other responses unchanged", () => {
    const response = Response.json({});
    const streams = new KeyStreams({ find: async () => [], onError: () => {} });
    expect(streams.watch(response, key("a"), () => bytes.encode("last"))).toBe(response);
  });
});
