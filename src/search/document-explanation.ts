import type { Status } from "../types.js";
import type {
  FusionEvidence,
  HitExplanation,
  KeywordEvidence,
  RerankEvidence,
  SemanticEvidence,
  Terms,
} from "./explanation.js";

/** Why a search returned or dropped a document. */
export type DocumentExplanation = DocumentReturned | DroppedDocument;

/** At least one of the document's chunks is among the hits. */
export interface DocumentReturned {
  readonly outcome: "returned";
  readonly documentId: string;
  /** In the order of the search's hits. */
  readonly hits: readonly ReturnedChunk[];
}

export interface ReturnedChunk {
  /** `<documentId>#<sequence number>`. */
  readonly id: string;
  /** Rank among all hits, from 1. */
  readonly rank: number;
  readonly score: number;
  readonly explanation: HitExplanation;
}

/**
 * No chunk of the document is among the hits. Reports the stage at which the last chunk was dropped, with the evidence.
 * If several chunks reached that stage, reports the best-ranked chunk.
 */
export type DroppedDocument = {
  readonly outcome: "lost";
  readonly documentId: string;
  /** The explanation as a sentence. */
  readonly reason: string;
} & (
  | {
      /** Another partition of the namespace was searched. */
      readonly stage: "scope";
      readonly tenantId: string | null;
      readonly searchedTenantId: string | null;
    }
  | {
      /** The document has no published chunks yet, has none any more, or has no text. */
      readonly stage: "status";
      readonly status: Status;
    }
  | {
      /** No chunk matches the `filter`. */
      readonly stage: "filter";
      readonly chunks: number;
    }
  | ({
      /** No chunk that matches the `filter` has all `keywordFilter` words. Reports the chunk that lacks the fewest. */
      readonly stage: "keywordFilter";
    } & DroppedChunk &
      Terms)
  | ({
      /** In mode `keyword`, the chunk has none of the query's words, or a rank beyond `topK`. */
      readonly stage: "keyword";
      readonly keyword: KeywordEvidence | WithoutRank;
    } & DroppedChunk &
      Cut)
  | ({
      /** In mode `semantic`, the chunk has a rank beyond `topK`. */
      readonly stage: "semantic";
      readonly semantic: SemanticEvidence | null;
    } & DroppedChunk &
      Cut)
  | ({
      /** In mode `hybrid`, neither the keyword nor the semantic ranking has the chunk among its candidates. */
      readonly stage: "candidates";
      readonly keyword: KeywordEvidence | WithoutRank;
      readonly semantic: SemanticEvidence | null;
      /** Number of candidates from each ranking. */
      readonly cut: number;
    } & DroppedChunk)
  | ({
      /** In mode `hybrid`, the chunk has a fused rank beyond `topK`, not counting duplicates. */
      readonly stage: "fusion";
      readonly fusion: FusionEvidence;
      readonly explanation: HitExplanation;
    } & DroppedChunk &
      Cut)
  | ({
      /** A document with the same content has a higher-ranked passage with the same text, or see `maxSimilarity`. */
      readonly stage: "duplicate";
      /** `<documentId>#<sequence number>` of the higher-ranked passage. */
      readonly duplicateOf: string;
      readonly explanation: HitExplanation;
    } & DroppedChunk)
  | ({
      readonly stage: "minScore";
      readonly score: number;
      readonly minScore: number;
      readonly explanation: HitExplanation;
    } & DroppedChunk)
  | ({
      /** `diversity` chose other passages. */
      readonly stage: "diversity";
      /** The highest share of words in common with a chosen passage, 0 to 1. */
      readonly similarity: number;
      /** `<documentId>#<sequence number>` of that passage; `null` if there are no words in common with any. */
      readonly similarTo: string | null;
      readonly explanation: HitExplanation;
    } & DroppedChunk &
      Cut)
  | ({
      /** The chunk has a rank beyond `rerankLimit`, after reranking if a reranker is configured. */
      readonly stage: "rerank";
      readonly rerank: RerankEvidence | null;
      readonly explanation: HitExplanation;
    } & DroppedChunk &
      Cut)
);

export interface DroppedChunk {
  /** `<documentId>#<sequence number>` of the reported chunk. */
  readonly chunkId: string;
}

export interface Cut {
  /** The chunk's rank, from 1; `null` beyond the first 10,000, or if the chunk has no word of the query. */
  readonly rank: number | null;
  /** The last rank that passes to the next stage. */
  readonly cut: number;
}

/** The query's terms in a chunk that is not among the first 10,000 of the keyword ranking. */
export interface WithoutRank extends Terms {
  readonly rank: null;
}
