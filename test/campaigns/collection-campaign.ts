import { isDeepStrictEqual } from "node:util";
import type { KnowledgeBase, SearchHit } from "lorebase";
import { readCollection } from "#dist/evaluate/read-collection.js";
import { ingestCollection } from "./ingest-collection.js";

export interface CollectionCampaign {
  /** Two empty knowledge bases. */
  readonly knowledgeBases: readonly [KnowledgeBase, KnowledgeBase];
  /** A folder in the BEIR layout. */
  readonly directory: string;
}

interface Found {
  readonly document: unknown;
  readonly score: number;
}

const MODES = ["keyword", "semantic", "hybrid"] as const;
const MAX_FAULTS = 10;
/** Vectors are compared in another order of additions by each engine. */
const TOLERANCE = 1e-6;

/** Ingests a collection into two knowledge bases, and compares what they find for each query in each mode. */
export async function collectionCampaign({ knowledgeBases, directory }: CollectionCampaign) {
  const collection = await readCollection(directory);
  for (const kb of knowledgeBases) await ingestCollection(kb, collection);
  const faults: string[] = [];
  let compared = 0;
  for (const { id, text } of collection.queries) {
    for (const mode of MODES) {
      const [expected, found] = await Promise.all(
        knowledgeBases.map(async (kb) => (await kb.search(collection.name, text, { mode, topK: 20 })).map(toFound)),
      );
      compared++;
      const isEqual = mode === "keyword" ? isDeepStrictEqual(found, expected) : areNear(expected!, found!);
      if (!isEqual && faults.length < MAX_FAULTS)
        faults.push(`query ${id}, ${mode}:\n${JSON.stringify(expected)}\n${JSON.stringify(found)}`);
    }
  }
  return { collection: collection.name, documents: collection.documents.length, compared, faults };
}

function toFound({ score, metadata }: SearchHit): Found {
  return { document: metadata?.corpusId, score };
}

function areNear(expected: readonly Found[], found: readonly Found[]): boolean {
  return (
    expected.length === found.length &&
    expected.every((hit, index) => {
      const other = found[index]!;
      return hit.document === other.document && Math.abs(hit.score - other.score) < TOLERANCE;
    })
  );
}
