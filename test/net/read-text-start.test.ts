import { expect, it } from "vitest";
import { readTextStart } from "#dist/net/read-text-start.js";

it("reads no more of an endless answer than its beginning", async () => {
  let pieces = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(stream) {
      pieces++;
      stream.enqueue(new Uint8Array(10_000).fill(97));
    },
    cancel() {
      cancelled = true;
    },
  });
  expect(await readTextStart(new Response(body))).toBe("a".repeat(65_536));
  expect(pieces).toBeLessThan(10);
  expect(cancelled).toBe(true);
});

it("reads a short answer whole, and none at all", async () => {
  expect(await readTextStart(new Response("dûsk"))).toBe("dûsk");
  expect(await readTextStart(new Response(null))).toBe("");
});
