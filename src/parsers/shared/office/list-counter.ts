import { getOrCreate } from "../../../util/get-or-create.js";
import { formatCount } from "../ooxml/format-count.js";

/** The maximum length of a number with its text, so that a small file can't fill the memory with them. */
const MAX_NUMBER_CHARACTERS = 255;

/** The numbering of one list level. */
export interface NumberLevel {
  readonly start: number;
  /** The number format, such as `decimal`, `lowerLetter` or `bullet`. */
  readonly format: string;
  /** The text of a number, in which `%1` stands for the count of the first level. */
  readonly pattern: string;
  /** Whether the counts of all levels are shown in decimal digits. */
  readonly isLegal: boolean;
}

/** A list, whose paragraphs share an id. */
export interface NumberedList {
  /** The id of the list's abstract definition. Lists of one family share their counts. */
  readonly familyId: string;
  readonly levels: ReadonlyMap<number, NumberLevel>;
  /** The numbers at which the list restarts, by level. */
  readonly restarts: ReadonlyMap<number, number>;
}

/** Counts the paragraphs of lists as Word does. */
export class ListCounter {
  /** The current count of each level, by the id of the family. */
  readonly #counts = new Map<string, number[]>();
  readonly #started = new Set<NumberedList>();

  /**
   * Counts the next paragraph of a list at a level. Returns its number as displayed, or an empty string if it has none.
   */
  next(list: NumberedList, level: number): string {
    const definition = list.levels.get(level);
    if (definition === undefined) return "";
    const counts = getOrCreate(this.#counts, list.familyId, () => []);
    if (!this.#started.has(list)) {
      this.#started.add(list);
      for (const [index, start] of list.restarts) counts[index] = start - 1;
    }
    counts[level] = (counts[level] ?? definition.start - 1) + 1;
    counts.length = level + 1;
    if (definition.format === "bullet" || definition.format === "none") return "";
    return definition.pattern
      .slice(0, MAX_NUMBER_CHARACTERS)
      .replace(/%(\d)/g, (_, digit: string) => {
        const index = Number(digit) - 1;
        const { start = 1, format = "decimal" } = list.levels.get(index) ?? {};
        return formatNumber(counts[index] ?? start, definition.isLegal ? "decimal" : format);
      })
      .slice(0, MAX_NUMBER_CHARACTERS)
      .trim();
  }
}

function formatNumber(count: number, format: string): string {
  if (format === "none") return "";
  return format === "decimalZero" ? String(count).padStart(2, "0") : formatCount(count, format);
}
