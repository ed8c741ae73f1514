/** A sheet's print header or footer without its codes: left, middle and right part, without numbers and dates. */
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
