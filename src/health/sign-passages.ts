import type { Engine } from "../engine/engine.js";
import type { RpcThread } from "../rpc/rpc-thread.js";
import type { RecordOwner } from "../storage/records/job-queries.js";
import type { PassageRange, UnsignedDocument } from "../storage/records/passage-signatures.js";
import { groupBy } from "../util/group-by.js";
import { packBatches } from "../util/pack-batches.js";
import type { Budget } from "./budget.js";
import type { ComparisonOperations } from "./comparison-thread.js";
import { SIGNATURE_BYTES } from "./min-hash.js";

/** The number of documents examined by one query. */
const EXAMINED_DOCUMENTS = 5000;
/** The maximum number of passages whose signatures are stored as one part. */
const PART_PASSAGES = 256;
/** The number of passages read at once, and of passages whose signatures are written at once. */
const MAX_PASSAGES = 2000;

/**
 * Computes the signatures of passages that were published since the last time, and removes those that are no longer.
 * Returns false if the time was over before.
 */
export async function signPassages(
  engine: Engine,
  owner: RecordOwner,
  thread: RpcThread<ComparisonOperations>,
  budget: Budget,
): Promise<boolean> {
  const { health } = engine.storage;
  for (let after: number | null = 0; after !== null; ) {
    const { documents, last } = await health.listUnsigned({ ...owner, after, limit: EXAMINED_DOCUMENTS });
    const sizes = documents.map(({ generation, passages }) => (generation === 0 ? 0 : passages));
    for (const [start, end] of packBatches(sizes, { maxItems: documents.length, maxWeight: MAX_PASSAGES })) {
      if (budget.isSpent) return false;
      await signDocuments(engine, documents.slice(start, end), thread);
    }
    after = last;
  }
  return true;
}

async function signDocuments(
  engine: Engine,
  documents: readonly UnsignedDocument[],
  thread: RpcThread<ComparisonOperations>,
): Promise<void> {
  const parts = documents.flatMap(partsOf);
  const signatures: Uint8Array[] = [];
  const limits = { maxItems: parts.length, maxWeight: MAX_PASSAGES };
  for (const [start, end] of packBatches(parts.map(countOf), limits))
    signatures.push(...(await signParts(engine, parts.slice(start, end), thread)));
  const signed = parts.map((part, index) => ({
    ...{ documentSeq: part.documentSeq, first: part.first, passages: countOf(part) },
    signatures: signatures[index]!,
  }));
  const byDocument = groupBy(signed, ({ documentSeq }) => documentSeq);
  await engine.storage.health.recordSignatures({
    documents: documents.map(({ seq, generation }) => ({ seq, generation, parts: byDocument.get(seq) ?? [] })),
  });
}

/** Splits a document's passages into parts. A document without passages has an empty part, so that it counts as signed. */
function partsOf({ seq, generation, passages }: UnsignedDocument): PassageRange[] {
  if (generation === 0) return [];
  return Array.from({ length: Math.max(1, Math.ceil(passages / PART_PASSAGES)) }, (_, index) => {
    const first = index * PART_PASSAGES;
    return { documentSeq: seq, generation, first, last: Math.min(first + PART_PASSAGES, passages) - 1 };
  });
}

function countOf({ first, last }: PassageRange): number {
  return last - first + 1;
}

async function signParts(
  engine: Engine,
  parts: readonly PassageRange[],
  thread: RpcThread<ComparisonOperations>,
): Promise<Uint8Array[]> {
  const passages = await engine.storage.health.readTexts({ ranges: parts });
  const texts = new Map(passages.map(({ documentSeq, ordinal, text }) => [`${documentSeq} ${ordinal}`, text]));
  const signatures = await thread.call(
    "sign",
    // A passage that is gone has no text. Another generation has been published then, and nothing is recorded.
    parts.flatMap((part) =>
      Array.from({ length: countOf(part) }, (_, index) => texts.get(`${part.documentSeq} ${part.first + index}`) ?? ""),
    ),
  );
  let start = 0;
  return parts.map((part) => {
    const from = start;
    start += countOf(part) * SIGNATURE_BYTES;
    return signatures.slice(from, start);
  });
}
