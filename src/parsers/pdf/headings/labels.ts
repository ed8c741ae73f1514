import { groupBy } from "../../../util/group-by.js";
import type { HeadingEvidence } from "./heading-levels.js";
import { roundedSize } from "./style-levels.js";

/** The titles of sections are hardly ever repeated so often without being listed. */
const MIN_REPEATS = 3;
/** An outline or contents page is complete if it lists a larger share of the other headings. */
const MIN_LISTED_SHARE = 0.5;
/** So many listed headings, as a share of the labels, may look like these. */
const MAX_ALIKE_SHARE = 0.1;

/**
 * Tells which headings only label a paragraph or a box, such as "Note": the same words stand again and again, and a
 * complete outline or contents page has none of them and hardly any headings that look alike.
 */
export function areLabels(headings: readonly HeadingEvidence[]): boolean[] {
  const isListed = ({ outlineDepth, contentsDepth }: HeadingEvidence): boolean =>
    outlineDepth !== null || contentsDepth !== null;
  const candidates = headings.filter((heading) => !isListed(heading) && heading.tagLevel === null);
  const repeated = [...groupBy(candidates, ({ text }) => text).values()].filter(({ length }) => length >= MIN_REPEATS);
  const listed = headings.filter(isListed);
  const styleOf = ({ size, isBold }: HeadingEvidence): string => `${roundedSize(size)} ${isBold}`;
  const listedStyles = groupBy(listed, styleOf);
  const labels = new Set(
    [...groupBy(repeated.flat(), styleOf)].flatMap(([style, alike]) =>
      (listedStyles.get(style)?.length ?? 0) <= alike.length * MAX_ALIKE_SHARE ? alike : [],
    ),
  );
  const isComplete = listed.length > (headings.length - labels.size) * MIN_LISTED_SHARE;
  return headings.map((heading) => isComplete && labels.has(heading));
}
