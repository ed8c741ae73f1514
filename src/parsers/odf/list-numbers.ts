import { displayedNumber, type LevelFormat } from "./list-format.js";

/** The current number of each level of a list. */
export type LevelNumbers = number[];

interface ListOpening {
  /** The id under which other lists can continue this list. */
  readonly id?: string | undefined;
  readonly style: string;
  /** The id of the list that this list continues. */
  readonly continuesId?: string | undefined;
  /** Whether this list continues the last list of its style. */
  readonly isStyleContinued: boolean;
}

/** Counts the items of lists and headings, including lists that continue after other text. */
export class ListNumbers {
  readonly #byId = new Map<string, LevelNumbers>();
  readonly #byStyle = new Map<string, LevelNumbers>();
  readonly #outline: LevelNumbers = [];

  /** Begins a list. Returns the numbers of the list that it continues, or an empty array. */
  open({ id, style, continuesId, isStyleContinued }: ListOpening): LevelNumbers {
    const continued = continuesId === undefined ? undefined : this.#byId.get(continuesId);
    const numbers = continued ?? (isStyleContinued ? this.#byStyle.get(style) : undefined) ?? [];
    if (id !== undefined) this.#byId.set(id, numbers);
    this.#byStyle.set(style, numbers);
    return numbers;
  }

  /** Counts a heading. Returns its number as displayed, or `undefined` if its level has none. */
  countHeading(formats: readonly LevelFormat[], level: number, start: number | undefined): string | undefined {
    return formats[level] && countItem(this.#outline, formats, level, start);
  }
}

/** Counts a list item. Returns its number as displayed, or `undefined` for a bullet. */
export function countItem(
  numbers: LevelNumbers,
  formats: readonly LevelFormat[],
  level: number,
  start: number | undefined,
): string | undefined {
  const last = numbers[level];
  numbers[level] = start ?? (last === undefined ? (formats[level]?.start ?? 1) : last + 1);
  numbers.length = level + 1;
  return displayedNumber(formats, numbers, level);
}
