import { getOrCreate } from "../../../util/get-or-create.js";
import type { PageText } from "../page/page-model.js";
import type { Segment } from "../page/segments.js";

/** Text in the style of the body that is longer, or ends like a sentence, is a paragraph. */
const MAX_TITLE_LENGTH = 120;

/**
 * Returns the levels of tags that are mostly on paragraphs, so that they say nothing of headings.
 *
 * @param isBodyStyle Whether a text has the font and size of most of the text.
 */
export function misusedTagLevels(
  pages: readonly PageText[],
  isBodyStyle: (segment: Segment) => boolean,
): ReadonlySet<number> {
  const elements = new Map<string, { readonly level: number; text: string; isBody: boolean }>();
  for (const { number, main } of pages)
    for (const segment of main.segments) {
      if (segment.heading === undefined) continue;
      const { level, elementId } = segment.heading;
      const element = getOrCreate(elements, `${number} ${elementId}`, () => ({ level, text: "", isBody: true }));
      element.text += `${segment.text} `;
      element.isBody &&= isBodyStyle(segment);
    }
  const balances = new Map<number, number>();
  for (const { level, text, isBody } of elements.values()) {
    const isParagraph = isBody && (text.length > MAX_TITLE_LENGTH || /[.,;]\s$/.test(text));
    balances.set(level, (balances.get(level) ?? 0) + (isParagraph ? 1 : -1));
  }
  return new Set([...balances].flatMap(([level, balance]) => (balance > 0 ? [level] : [])));
}
