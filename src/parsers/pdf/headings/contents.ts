import { getOrCreate } from "../../../util/get-or-create.js";
import { groupBy } from "../../../util/group-by.js";
import { removeMarks } from "../page/link-marks.js";
import { minOf } from "../page/statistics.js";
import type { CrossReferences } from "../text/cross-references.js";
import type { Part, TextPart } from "../text/page-parts.js";
import { sectionNumber } from "./section-number.js";
import { type ListedTitle, titleKey } from "./titles.js";

/** The title of an entry, dots or spaces, and the number of its page. */
const ENTRY_PATTERN = /^(.*?[^\s.…·_])[\s.…·_]*[\s.…·_](\d{1,4}|[ivxlc]{1,7})$/i;
/** A page with fewer entries is no contents page. */
const MIN_ENTRIES = 3;
/** Share of the entries whose page number may be less than the one before. */
const MAX_DISORDER = 0.1;
/** Entries that are indented by less, as a multiple of the font size, are equally deep. */
const SAME_INDENT = 0.5;
/** A title has at most as many characters. */
const MAX_TITLE_LENGTH = 200;

interface Entry {
  readonly title: string;
  /** The page number as printed. */
  readonly label: string;
  /** How far it is indented, in points. */
  readonly indent: number;
  readonly size: number;
  /** The page that the entry is linked with; `null` if it has no link. */
  readonly target: number | null;
}

/** Returns the titles on the contents pages, with their pages and depths as far as they are known. */
export function contentsTitles(parts: readonly Part[], references: CrossReferences): ListedTitle[] {
  const lines = parts.filter((part): part is TextPart => part.kind === "text" && part.isEntry);
  if (lines.length < MIN_ENTRIES) return [];
  const entries = [...groupBy(lines, ({ page }) => page).values()].flatMap((page) => {
    const own = entriesOf(page, references);
    return own.length < MIN_ENTRIES || !areInOrder(own) ? [] : own;
  });
  if (entries.length === 0) return [];
  const depths = depthsOf(entries);
  const offset = entries.every(({ target }) => target !== null) ? null : pageOffset(entries, parts);
  return entries.map(({ title, label, target }, i) => {
    const page = offset !== null && /^\d/.test(label) ? Number(label) + offset : null;
    return { title, depth: depths[i]!, page: target ?? page };
  });
}

function entriesOf(lines: readonly TextPart[], references: CrossReferences): Entry[] {
  const margin = minOf(lines.map(({ paragraph }) => paragraph.lines[0]!.left));
  const entries: Entry[] = [];
  let begun: { readonly title: string; readonly left: number } | null = null;
  for (const { page, box, paragraph } of lines) {
    const [{ left, size }] = paragraph.lines as [TextPart["paragraph"]["lines"][number]];
    const text = removeMarks(paragraph.text);
    const [, end, label] = ENTRY_PATTERN.exec(text) ?? [];
    // A long title goes on in the next line, which then has no number.
    const isRest = begun !== null && sectionNumber(end ?? text) === null;
    const title: string = `${isRest ? `${begun!.title} ` : ""}${end ?? text}`;
    const start: number = isRest ? begun!.left : left;
    begun = label === undefined ? { title, left: start } : null;
    if (label === undefined || title.length > MAX_TITLE_LENGTH) continue;
    const target = references.at(page, box)[0]?.page ?? null;
    entries.push({ title, label, indent: start - margin, size, target });
  }
  return entries;
}

/** Whether page numbers increase, unlike those of an index. */
function areInOrder(entries: readonly Entry[]): boolean {
  const pages = entries.flatMap(({ label }) => (/^\d/.test(label) ? Number(label) : []));
  return pages.filter((page, i) => i > 0 && page < pages[i - 1]!).length <= pages.length * MAX_DISORDER;
}

/** Returns the depth of each entry, from 1: by its number, or that of others with its indent, or by the indents only. */
function depthsOf(entries: readonly Entry[]): number[] {
  const indents: number[] = [];
  for (const { indent, size } of [...entries].sort((a, b) => a.indent - b.indent))
    if (indents.length === 0 || indent > indents.at(-1)! + size * SAME_INDENT) indents.push(indent);
  const rankOf = ({ indent }: Entry): number => indents.findLastIndex((start) => start <= indent) + 1;
  const numbered = new Map<number, number>();
  const numberDepth = ({ title }: Entry): number | null => {
    const number = sectionNumber(title);
    return number?.format === "section" ? number.path.length : null;
  };
  for (const entry of entries) {
    const depth = numberDepth(entry);
    if (depth !== null) getOrCreate(numbered, rankOf(entry), () => depth);
  }
  return entries.map((entry) => numberDepth(entry) ?? numbered.get(rankOf(entry)) ?? rankOf(entry));
}

/** Returns how many pages precede the page with the number 1, by where most titles stand; `null` if unknown. */
function pageOffset(entries: readonly Entry[], parts: readonly Part[]): number | null {
  const numbered = entries.filter(({ label }) => /^\d/.test(label));
  const labels = groupBy(numbered, ({ title }) => titleKey(title).key);
  const votes = new Map<number, number>();
  for (const part of parts) {
    if (part.kind !== "text" || part.isEntry || part.paragraph.text.length > MAX_TITLE_LENGTH) continue;
    for (const { label } of labels.get(titleKey(removeMarks(part.paragraph.text)).key) ?? []) {
      const offset = part.page - Number(label);
      votes.set(offset, (votes.get(offset) ?? 0) + 1);
    }
  }
  const [best] = [...votes].sort((a, b) => b[1] - a[1]);
  return best === undefined || best[1] < Math.min(2, labels.size) ? null : best[0];
}
