import { featuresOf } from "../text-analysis/shared-words.js";
import { getOrCreate } from "../util/get-or-create.js";

/** So many characters of a passage are compared, so that a search with many long passages doesn't hold up others. */
const MAX_COMPARED = 2000;

/** What the passages of one search are compared by, for each text that was compared. */
export type PassageFeatures = Map<string, ReadonlySet<string>>;

/** Returns what a passage is compared by, and keeps it in `known`. */
export function passageFeatures(text: string, known: PassageFeatures): ReadonlySet<string> {
  const compared = text.slice(0, MAX_COMPARED);
  return getOrCreate(known, compared, () => featuresOf(compared));
}
