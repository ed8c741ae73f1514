import type { StoredPassage } from "../storage/search-index.js";
import type { FusionOptions, RankedId } from "./fusion.js";
import type { KeywordFound, SemanticFound } from "./sources.js";

/** A chunk that was found and read. */
export interface Candidate {
  readonly found: Found;
  readonly passage: StoredPassage;
}

/** A chunk in the ranking of the mode, and where it came from. */
export interface Found extends RankedId {
  readonly keyword?: KeywordFound | undefined;
  readonly semantic?: SemanticFound | undefined;
  /** Absent unless the mode is hybrid. */
  readonly fusion?: FusionOptions;
}
