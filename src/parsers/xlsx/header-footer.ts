/** A header or footer of a printed sheet without its codes: left, middle and right part, numbers and dates left out. */
export function printedText(coded: string): string {
  return coded
    .split(/&[LCR]/)
    .map((part) =>
      part
        .replace(/&(?:"[^"]*"|K(?:[\dA-Fa-f]{6}|\d\d[+-]\d{3})|\d{1,3}|[A-JM-QS-Z])/gi, "")
        .replaceAll("&&", "&")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((part) => /\p{L}/u.test(part))
    .join(" ");
}
