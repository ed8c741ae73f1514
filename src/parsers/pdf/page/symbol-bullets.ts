import { getOrCreate } from "../../../util/get-or-create.js";
import { groupBy } from "../../../util/group-by.js";
import type { Run } from "./runs.js";

/** The gap between a bullet and the text of its item, as multiples of the font size: wider than a space. */
const MIN_GAP_RATIO = 0.5;
const MAX_GAP_RATIO = 4;
/** Nothing stands to the left of a bullet within this multiple of the font size. */
const MIN_INDENT_RATIO = 1.5;
/** A page with more single characters is no text with lists. */
const MAX_MARKS = 300;

/** A character that Wingdings or Symbol show as a bullet, or a letter that Word takes for one. */
const MARK_PATTERN = /^[onluv§¨Ø\p{Co}\x80-\x9f]$/u;
/** One for private use, or a control character, which have no meaning in Unicode. */
const MEANINGLESS_PATTERN = /^[\p{Co}\x80-\x9f]$/u;
/** Most items have a word, unlike the rows between the parts of a tall bracket. */
const WORD_PATTERN = /\p{L}{2}/u;

interface Item {
  readonly mark: Run;
  /** The text behind the mark. */
  readonly text: Run;
}

/**
 * Gives bullets their character where the file names another, since a font of symbols shows them: `o`, `§` or one without
 * meaning in Unicode. Such a character is the first of its line, apart from the text behind it, which is in another font; and
 * several lines begin so, unless it has no meaning in Unicode. A letter must be all that the page has in its font: others
 * are names, keys or ticks.
 */
export function nameBullets(runs: readonly Run[]): void {
  const marks = runs.filter(({ text }) => MARK_PATTERN.test(text.trim()));
  if (marks.length > MAX_MARKS) return;
  const textsByFont = new Map<string, Set<string>>();
  for (const { font, text } of runs) getOrCreate(textsByFont, font, () => new Set()).add(text.trim());
  const items = marks.flatMap((mark) => itemOf(mark, runs) ?? []);
  for (const list of groupBy(items, ({ mark }) => `${mark.text.trim()} ${mark.font}`).values()) {
    const { mark } = list[0]!;
    if (!isMeaningless(mark) && (list.length === 1 || textsByFont.get(mark.font)!.size > 1)) continue;
    if (list.filter(({ text }) => WORD_PATTERN.test(text.text)).length <= list.length / 2) continue;
    for (const { mark } of list) mark.text = "•";
  }
}

/** Returns a mark with the text behind it; `null` if it begins no line, or is not apart from the text. */
function itemOf(mark: Run, runs: readonly Run[]): Item | null {
  let next: Run | undefined;
  for (const run of runs) {
    if (run === mark || Math.abs(run.baseline - mark.baseline) > mark.size * 0.5) continue;
    if (run.left < mark.left && mark.left - run.right < mark.size * MIN_INDENT_RATIO) return null;
    if (run.left > mark.left && (next === undefined || run.left < next.left)) next = run;
  }
  if (next === undefined || next.font === mark.font) return null;
  const gap = (next.left - mark.right) / mark.size;
  return gap > (isMeaningless(mark) ? 0 : MIN_GAP_RATIO) && gap < MAX_GAP_RATIO ? { mark, text: next } : null;
}

function isMeaningless({ text }: Run): boolean {
  return MEANINGLESS_PATTERN.test(text.trim());
}
