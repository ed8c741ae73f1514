import { termsOf } from "../../../text-analysis/analyze.js";
import { keywordText } from "../../../text-analysis/keyword-text.js";
import type { Stemming } from "../../../text-analysis/stemming.js";
import { indexedText } from "../../indexed-text.js";
import type { IndexedChunks } from "../../search-index.js";
import { BlockBuilder } from "./block-builder.js";
import type { StoredBlock } from "./block-form.js";

/** Chunks of one generation of a document, and their words. */
export interface AnalyzedChunks extends IndexedChunks {
  /** The words as a part without the sequence numbers of the chunks; `null` until they are known. */
  part: StoredBlock | null;
}

/** The texts of a generation's chunks. */
export interface AnalyzedTexts {
  readonly documentSeq: number;
  readonly generation: number;
  readonly stemming: Stemming;
  readonly texts: readonly string[];
}

export function textsOf({ documentSeq, generation, stemming, chunks }: IndexedChunks): AnalyzedTexts {
  return { documentSeq, generation, stemming, texts: chunks.map(indexedText) };
}

/** Returns the words of chunks as a part, with 0 as the sequence number of each chunk. */
export function analyzeTexts({ documentSeq, generation, stemming, texts }: AnalyzedTexts): StoredBlock {
  const builder = new BlockBuilder({ documentSeq, generation });
  for (const text of texts) builder.addChunk({ chunkSeq: 0, stemming, terms: termsOf(keywordText(text, stemming)) });
  return builder.build();
}
