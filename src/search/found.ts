import type { StoredPassage } from "../storage/search-index.js";
import type { FusionOptions, RankedId } from "./fusion.js";
import type { KeywordFound, SemanticFound } from "./sources.js";

/** A retrieved chunk with its text. */
export interface Candidate {
  readonly found: Found;
  readonly passage: StoredPassage;
}

/** A chunk in the final ranking of the mode, with its rank in each source. */
export interface Found extends RankedId {
  readonly keyword?: KeywordFound | undefined;
  readonly semantic?: SemanticFound | undefined;
  /** Absent unless the mode is hybrid. */
  readonly fusion?: FusionOptions;
}
