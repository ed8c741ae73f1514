import { fakeEmbedder } from "lorebase/testing";
import type { Embedder } from "../../src/interfaces/embedder.js";

/** An embedder that a test lets through, text by text. */
export interface GateEmbedder extends Embedder {
  /** Waits until a call stands at the gate, and returns its texts; further calls come in their order. */
  arrival(): Promise<readonly string[]>;
  /** Lets the call through that has stood there longest. */
  open(): void;
  /** Lets everything through from here on. */
  openForAll(): void;
}

interface Waiting {
  readonly texts: readonly string[];
  go(): void;
}

/** Queries pass; documents stand until the gate is opened. */
export function gateEmbedder(): GateEmbedder {
  const embedder = fakeEmbedder({ provider: "GATE", maxBatchSize: 1 });
  const standing: Waiting[] = [];
  const arrived: (readonly string[])[] = [];
  const expecting: ((texts: readonly string[]) => void)[] = [];
  let free = false;
  return {
    ...embedder,
    async embed(texts, options) {
      options.signal?.throwIfAborted();
      if (options.purpose === "document" && !free) {
        const expected = expecting.shift();
        if (expected) expected(texts);
        else arrived.push(texts);
        await new Promise<void>((resolve, reject) => {
          const waiting = { texts, go: resolve };
          standing.push(waiting);
          options.signal?.addEventListener("abort", () => {
            const place = standing.indexOf(waiting);
            if (place >= 0) standing.splice(place, 1);
            reject(options.signal?.reason);
          });
        });
      }
      return embedder.embed(texts, options);
    },
    arrival() {
      const first = arrived.shift();
      return first ? Promise.resolve(first) : new Promise((resolve) => expecting.push(resolve));
    },
    open: () => standing.shift()?.go(),
    openForAll() {
      free = true;
      for (const { go } of standing.splice(0)) go();
    },
  };
}
