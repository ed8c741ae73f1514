import type { WirePassage } from "../ui-message-stream/ui-message-chunk.js";
import type { PageStrings } from "./strings/english.js";
import { fillNumber } from "./strings/fill.js";

/** What tells a result from the others. */
export interface ResultLabel {
  /** The heading above the passage; the title of its document if it has none. */
  readonly title: string;
  /** Where the passage is: its document, the headings above, its page, and its number where results would be alike. */
  readonly place: string;
}

type Placed = Pick<WirePassage, "chunkId" | "title" | "headings" | "page">;

/** The language of labels. */
interface LabelLanguage {
  readonly locale: string;
  readonly strings: Pick<PageStrings["client"], "page" | "passageNumber">;
}

/** Labels results so that no two of one document are alike. */
export function labelResults(passages: readonly Placed[], language: LabelLanguage): readonly ResultLabel[] {
  const { locale, strings } = language;
  const labels = passages.map((passage) => toLabel(passage, language));
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(keyOf(label), (counts.get(keyOf(label)) ?? 0) + 1);
  return labels.map((label, index) => {
    if (counts.get(keyOf(label)) === 1) return label;
    const { chunkId } = passages[index]!;
    const number = Number(chunkId.slice(chunkId.lastIndexOf("#") + 1)) + 1;
    return { ...label, place: joinPlace([label.place, fillNumber(strings.passageNumber, number, locale)]) };
  });
}

function toLabel({ title, headings, page }: Placed, { locale, strings }: LabelLanguage): ResultLabel {
  const last = headings.at(-1);
  const above = last === undefined ? [] : [title, ...headings.slice(0, -1)];
  const pageText = page === undefined ? "" : fillNumber(strings.page, page, locale);
  return { title: last ?? title, place: joinPlace([...above, pageText]) };
}

function joinPlace(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" › ");
}

function keyOf({ title, place }: ResultLabel): string {
  return JSON.stringify([title, place]);
}
