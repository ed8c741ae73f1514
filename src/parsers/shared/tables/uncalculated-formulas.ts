/** Returns the beginning of a warning about formulas of a workbook without a stored value. */
export function uncalculatedFormulas(count: number): string {
  return count === 1 ? "A formula has no stored value and is" : `${count} formulas have no stored value and are`;
}
