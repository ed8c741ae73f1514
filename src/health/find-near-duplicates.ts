import type { Engine } from "../engine/engine.js";
import type { RpcThread } from "../rpc/rpc-thread.js";
import type { NearDuplicatePair, PassagePlace } from "../storage/records/near-duplicates.js";
import type { PartKey, SignaturePart } from "../storage/records/passage-signatures.js";
import { chunkArray } from "../util/chunk-array.js";
import type { Budget } from "./budget.js";
import type { ComparisonOperations } from "./comparison-thread.js";
import { SIGNATURE_BYTES } from "./min-hash.js";

/**
 * The least share of words that near-duplicates have in common. Where 30 % of a text's words are replaced, it is 0.54 on
 * average; unrelated passages of the same collection stay below 0.2.
 */
const MIN_SIMILARITY = 0.4;
/** Similarities are estimated with a standard error of 0.04. */
const MIN_ESTIMATE = MIN_SIMILARITY - 0.1;
/** The number of earlier passages whose texts a passage is compared with: those with the highest estimates. */
const MAX_CANDIDATES = 3;
/** The number of passages compared with all others at once. Their index takes 40 MB. */
const BATCH_PASSAGES = 50_000;
/** Parts of signatures read at once, of 32 KB at most. */
const PAGE_PARTS = 500;
/** Rows written, or pairs of texts compared, at once. */
const STEP = 500;
const EXAMINED_DUPLICATES = 5000;
/** Before the first part, since documents are numbered from 1. */
const START: PartKey = { documentSeq: 0, first: 0 };

interface Candidate {
  readonly original: PassagePlace;
  readonly estimate: number;
}

/** Candidates for the original of a passage, the most similar first. */
interface Candidates {
  readonly passage: PassagePlace;
  originals: readonly Candidate[];
}

/**
 * Compares the passages of a scope that were not compared yet with all others. Each near-duplicate is recorded with the
 * most similar passage that comes before it, by the order of documents and passages. Returns false if the time was over
 * before. A batch that was begun is finished even so, since only a whole batch is progress, but not if the caller aborts.
 */
export async function findNearDuplicates(
  engine: Engine,
  scopeId: number,
  thread: RpcThread<ComparisonOperations>,
  budget: Budget,
): Promise<boolean> {
  await removeOutdated(engine, scopeId);
  for (;;) {
    const batch = await readBatch(engine, scopeId);
    if (batch.length === 0) return true;
    if (budget.isSpent) return false;
    const candidates = await findCandidates(engine, scopeId, batch, thread, budget);
    for (const some of chunkArray(candidates, STEP)) {
      budget.throwIfAborted();
      const pairs = await verify(engine, some, thread);
      if (pairs.length > 0) await engine.storage.health.recordDuplicates({ scopeId, pairs });
    }
    const parts = batch.map(({ documentSeq, first, generation }) => ({ documentSeq, first, generation }));
    for (const some of chunkArray(parts, STEP)) await engine.storage.health.markCompared({ scopeId, parts: some });
  }
}

/** Removes near-duplicates that are gone or whose originals are, so that their documents are compared again. */
async function removeOutdated({ storage }: Engine, scopeId: number): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<typeof storage.health.listOutdatedDuplicates>> =
      await storage.health.listOutdatedDuplicates({ scopeId, after, limit: EXAMINED_DUPLICATES });
    for (const duplicates of chunkArray(page.duplicates, STEP))
      await storage.health.removeDuplicates({ scopeId, duplicates });
    after = page.last;
  }
}

async function readBatch({ storage }: Engine, scopeId: number): Promise<readonly SignaturePart[]> {
  const batch: SignaturePart[] = [];
  let passages = 0;
  for (let after = START; ; ) {
    const parts = await storage.health.readSignatures({ scopeId, after, limit: PAGE_PARTS, only: "uncompared" });
    for (const part of parts) {
      if (passages >= BATCH_PASSAGES) return batch;
      batch.push(part);
      passages += part.passages;
    }
    if (parts.length < PAGE_PARTS) return batch;
    after = parts.at(-1)!;
  }
}

async function findCandidates(
  { storage }: Engine,
  scopeId: number,
  batch: readonly SignaturePart[],
  thread: RpcThread<ComparisonOperations>,
  budget: Budget,
): Promise<readonly Candidates[]> {
  await thread.call("index", concatenate(batch));
  const places = batch.flatMap(placesOf);
  const found = new Map<string, Candidates>();
  // Later documents that are still to be compared will find those of the batch.
  const only = { comparedOrThrough: batch.at(-1)!.documentSeq };
  for (let after = START; ; ) {
    budget.throwIfAborted();
    const parts = await storage.health.readSignatures({ scopeId, after, limit: PAGE_PARTS, only });
    const others = parts.flatMap(placesOf);
    const signatures = concatenate(parts);
    for (const { at, index, estimate } of await thread.call("find", { signatures, minEstimate: MIN_ESTIMATE })) {
      const [other, place] = [others[at]!, places[index]!];
      const order = other.documentSeq - place.documentSeq || other.ordinal - place.ordinal;
      if (order < 0) addCandidate(found, place, { original: other, estimate });
      // Of many copies in the batch, only the first are found by the others, which are then their originals.
      else if (order > 0) addCandidate(found, other, { original: place, estimate });
    }
    if (parts.length < PAGE_PARTS) return [...found.values()];
    after = parts.at(-1)!;
  }
}

function concatenate(parts: readonly SignaturePart[]): Uint8Array {
  const signatures = new Uint8Array(parts.reduce((sum, part) => sum + part.passages * SIGNATURE_BYTES, 0));
  let start = 0;
  for (const part of parts) {
    signatures.set(part.signatures, start);
    start += part.passages * SIGNATURE_BYTES;
  }
  return signatures;
}

function placesOf({ documentSeq, generation, first, passages }: SignaturePart): PassagePlace[] {
  return Array.from({ length: passages }, (_, index) => ({ documentSeq, generation, ordinal: first + index }));
}

function addCandidate(found: Map<string, Candidates>, passage: PassagePlace, candidate: Candidate): void {
  const key = keyOf(passage);
  const candidates = found.get(key);
  if (!candidates) {
    found.set(key, { passage, originals: [candidate] });
    return;
  }
  const { originals } = candidates;
  // Two passages of the batch find each other.
  if (originals.some(({ original }) => keyOf(original) === keyOf(candidate.original))) return;
  if (originals.length === MAX_CANDIDATES && originals.at(-1)!.estimate >= candidate.estimate) return;
  candidates.originals = [...originals, candidate].sort((a, b) => b.estimate - a.estimate).slice(0, MAX_CANDIDATES);
}

/** Compares the texts of passages with those of their candidates, and returns near-duplicates. */
async function verify(
  { storage }: Engine,
  candidates: readonly Candidates[],
  thread: RpcThread<ComparisonOperations>,
): Promise<readonly NearDuplicatePair[]> {
  const pairs = candidates.flatMap(({ passage, originals }) =>
    originals.map(({ original }) => ({ passage, original })),
  );
  const places = new Map(pairs.flatMap(({ passage, original }) => [passage, original]).map((it) => [keyOf(it), it]));
  const ranges = Array.from(places.values(), ({ ordinal, ...place }) => ({ ...place, first: ordinal, last: ordinal }));
  const texts = new Map((await storage.health.readTexts({ ranges })).map((passage) => [keyOf(passage), passage.text]));
  const textOf = (place: PassagePlace) => texts.get(keyOf(place)) ?? "";
  const similarities = await thread.call(
    "compare",
    pairs.map(({ passage, original }) => [textOf(passage), textOf(original)] as const),
  );
  const best = new Map<PassagePlace, NearDuplicatePair>();
  for (const [index, { passage, original }] of pairs.entries()) {
    const permille = Math.round(similarities[index]! * 1000);
    if (permille < MIN_SIMILARITY * 1000 || permille <= (best.get(passage)?.permille ?? 0)) continue;
    best.set(passage, { passage, original, permille });
  }
  return [...best.values()];
}

/** A document has one published generation. */
function keyOf({ documentSeq, ordinal }: { readonly documentSeq: number; readonly ordinal: number }): string {
  return `${documentSeq} ${ordinal}`;
}
