import type { StoredPassage } from "../storage/search-index.js";
import type { FusionOptions, RankedId } from "./fusion.js";
import type { KeywordMatch, SemanticMatch } from "./sources.js";

/** A retrieved chunk with its text. */
export interface Candidate {
  readonly ranked: RankedChunk;
  readonly passage: StoredPassage;
}

/** A chunk in the final ranking of a retrieval, with its rank in each source. */
export interface RankedChunk extends RankedId {
  readonly keyword?: KeywordMatch | undefined;
  readonly semantic?: SemanticMatch | undefined;
  /** Absent unless the mode is hybrid. */
  readonly fusion?: FusionOptions;
  /** Present if the search has boosts. */
  readonly boost?: {
    readonly factor: number;
    /** The rank without boosts, from 1. */
    readonly rank: number;
    /** The score without boosts. */
    readonly score: number;
  };
  /** Present if the search has `diversity`, and the chunk was chosen. */
  readonly diversity?: {
    /** The rank in which the chunk was chosen, from 1. */
    readonly rank: number;
    /** The highest share of words in common with a chunk that was chosen before. */
    readonly similarity: number;
  };
  /** The wording that ranked the chunk. Absent if there is one only. */
  readonly query?: string;
}
