import type { Status } from "../types.js";
import type {
  FusionEvidence,
  HitExplanation,
  KeywordEvidence,
  RerankEvidence,
  SemanticEvidence,
  Terms,
} from "./explanation.js";

/** What became of a document in a search. */
export type DocumentExplanation = DocumentReturned | DocumentLost;

/** At least one of the document's chunks is among the hits. */
export interface DocumentReturned {
  readonly outcome: "returned";
  readonly documentId: string;
  /** In their order. */
  readonly hits: readonly ReturnedChunk[];
}

export interface ReturnedChunk {
  /** `<documentId>#<sequence number>`. */
  readonly id: string;
  /** Place among all hits, from 1. */
  readonly rank: number;
  readonly score: number;
  readonly explanation: HitExplanation;
}

/**
 * No chunk of the document is among the hits. Told is the stage at which its last chunk dropped out, with the numbers that prove it;
 * of several that came as far, the one that was ranked best.
 */
export type DocumentLost = {
  readonly outcome: "lost";
  readonly documentId: string;
  /** The same in a sentence. */
  readonly reason: string;
} & (
  | {
      /** Another partition of the namespace was searched. */
      readonly stage: "scope";
      readonly tenantId: string | null;
      readonly searchedTenantId: string | null;
    }
  | {
      /** It has no published chunks: not yet, not any more, or there is no text in it. */
      readonly stage: "status";
      readonly status: Status;
    }
  | {
      /** No chunk meets the `filter`. */
      readonly stage: "filter";
      readonly chunks: number;
    }
  | ({
      /** No chunk that meets the `filter` has every word of the `keywordFilter`; told is the one that lacks fewest. */
      readonly stage: "keywordFilter";
    } & LostChunk &
      Terms)
  | ({
      /** Mode `keyword`: none of the query's words, or a rank beyond `topK`. */
      readonly stage: "keyword";
      readonly keyword: KeywordEvidence | WithoutRank;
    } & LostChunk &
      Cut)
  | ({
      /** Mode `semantic`: a rank beyond `topK`. */
      readonly stage: "semantic";
      readonly semantic: SemanticEvidence | null;
    } & LostChunk &
      Cut)
  | ({
      /** Mode `hybrid`: neither among the best by words nor among the best by meaning. */
      readonly stage: "candidates";
      readonly keyword: KeywordEvidence | WithoutRank;
      readonly semantic: SemanticEvidence | null;
      /** Candidates that each ranking brings. */
      readonly cut: number;
    } & LostChunk)
  | ({
      /** Mode `hybrid`: a fused rank beyond `topK`, duplicates not counted. */
      readonly stage: "fusion";
      readonly fusion: FusionEvidence;
      readonly explanation: HitExplanation;
    } & LostChunk &
      Cut)
  | ({
      /** A document made from the same bytes has a passage of the same text, ranked higher, which stands for both. */
      readonly stage: "duplicate";
      /** `<documentId>#<sequence number>` of that passage. */
      readonly duplicateOf: string;
      readonly explanation: HitExplanation;
    } & LostChunk)
  | ({
      readonly stage: "minScore";
      readonly score: number;
      readonly minScore: number;
      readonly explanation: HitExplanation;
    } & LostChunk)
  | ({
      /** A rank beyond `rerankLimit`, after reranking where there is a reranker. */
      readonly stage: "rerank";
      readonly rerank: RerankEvidence | null;
      readonly explanation: HitExplanation;
    } & LostChunk &
      Cut)
);

export interface LostChunk {
  /** `<documentId>#<sequence number>` of the chunk that is told of. */
  readonly chunkId: string;
}

export interface Cut {
  /** From 1; null where it is beyond the first 10,000, or without any word of the query. */
  readonly rank: number | null;
  /** The last rank that goes on. */
  readonly cut: number;
}

/** A chunk that keyword search did not find among its first 10,000. */
export interface WithoutRank extends Terms {
  readonly rank: null;
}
