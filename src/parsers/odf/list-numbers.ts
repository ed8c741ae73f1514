import { type LevelFormat, printedNumber } from "./list-format.js";

/** The current numbers of a list, by level. */
export type Numbers = number[];

/** Counts the items of lists, including lists that continue after other text. */
export class ListNumbers {
  readonly #byId = new Map<string, Numbers>();
  readonly #byStyle = new Map<string, Numbers>();
  readonly #outline: Numbers = [];

  /** The numbers a list starts from: those of the list that it continues, or none. */
  open(list: { id?: string | undefined; style: string; continues?: string | undefined; goesOn: boolean }): Numbers {
    const earlier = list.continues === undefined ? undefined : this.#byId.get(list.continues);
    const numbers = earlier ?? (list.goesOn ? this.#byStyle.get(list.style) : undefined) ?? [];
    if (list.id !== undefined) this.#byId.set(list.id, numbers);
    this.#byStyle.set(list.style, numbers);
    return numbers;
  }

  /** Counts a heading and returns its number as printed; `undefined` if its level has none. */
  heading(formats: readonly LevelFormat[], level: number, start: number | undefined): string | undefined {
    if (formats[level] === undefined) return undefined;
    return countItem(this.#outline, formats, level, start);
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
