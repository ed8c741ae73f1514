import { type LevelFormat, printedNumber } from "./list-format.js";

/** The current numbers of a list, by level. */
export type Numbers = number[];

interface ListOpening {
  readonly id?: string | undefined;
  readonly style: string;
  /** The id of the list that it continues. */
  readonly continues?: string | undefined;
  /** Whether it continues the last list of its style. */
  readonly continuesStyle: boolean;
}

/** Counts the items of lists, including lists that continue after other text. */
export class ListNumbers {
  readonly #byId = new Map<string, Numbers>();
  readonly #byStyle = new Map<string, Numbers>();
  readonly #outline: Numbers = [];

  /** The numbers a list starts from: those of the list that it continues, or none. */
  open({ id, style, continues, continuesStyle }: ListOpening): Numbers {
    const continued = continues === undefined ? undefined : this.#byId.get(continues);
    const numbers = continued ?? (continuesStyle ? this.#byStyle.get(style) : undefined) ?? [];
    if (id !== undefined) this.#byId.set(id, numbers);
    this.#byStyle.set(style, numbers);
    return numbers;
  }

  /** Counts a heading and returns its number as printed; `undefined` if its level has none. */
  heading(formats: readonly LevelFormat[], level: number, start: number | undefined): string | undefined {
    return formats[level] && countItem(this.#outline, formats, level, start);
  }
}

/** Counts a list item and returns its number as printed; `undefined` for a bullet. */
export function countItem(
  numbers: Numbers,
  formats: readonly LevelFormat[],
  level: number,
  start: number | undefined,
): string | undefined {
  const last = numbers[level];
  numbers[level] = start ?? (last === undefined ? (formats[level]?.start ?? 1) : last + 1);
  numbers.length = level + 1;
  return printedNumber(formats, numbers, level);
}
