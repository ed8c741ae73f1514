import { serve } from "../rpc/serve.js";
import { featuresOf, similarityOf } from "../text-analysis/shared-words.js";
import { SIGNATURE_BYTES, writeSignature } from "./min-hash.js";
import { SignatureIndex } from "./signature-index.js";

// The entry point of the thread that compares passages.

/** A signature of the index that resembles the one at a position of those that were searched for. */
export interface Resemblance {
  readonly at: number;
  readonly index: number;
  readonly estimate: number;
}

let index = new SignatureIndex(new Uint8Array());

const operations = {
  /** Returns the concatenated signatures of texts. */
  sign(texts: readonly string[]): Uint8Array {
    const signatures = new Uint8Array(texts.length * SIGNATURE_BYTES);
    for (const [at, text] of texts.entries()) {
      const start = at * SIGNATURE_BYTES;
      writeSignature(featuresOf(text), signatures.subarray(start, start + SIGNATURE_BYTES));
    }
    return signatures;
  },
  /** Replaces the signatures that `find` finds. */
  index(signatures: Uint8Array): void {
    index = new SignatureIndex(signatures);
  },
  find({ signatures, minEstimate }: { readonly signatures: Uint8Array; readonly minEstimate: number }): Resemblance[] {
    const count = signatures.length / SIGNATURE_BYTES;
    const found: Resemblance[] = [];
    for (let at = 0; at < count; at++)
      for (const candidate of index.find(signatures, at, minEstimate)) found.push({ at, ...candidate });
    return found;
  },
  /** Returns the similarities of pairs of texts. */
  compare(pairs: readonly (readonly [string, string])[]): number[] {
    return pairs.map(([a, b]) => similarityOf(featuresOf(a), featuresOf(b)));
  },
};

export type ComparisonOperations = typeof operations;

serve<ComparisonOperations>(operations);
