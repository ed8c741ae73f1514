/** Whether a short line is in title case: two words or more, of which only short words may be uncapitalized. */
export function isTitleCase(text: string): boolean {
  const words = text.split(/\s+/);
  return (
    words.length >= 2 &&
    text.length <= 70 &&
    /^\p{Lu}\p{Ll}/u.test(text) &&
    !/[.,;!?)]$|:|\d{2}/.test(text) &&
    words.every((word) => /^\P{L}*\p{Lu}/u.test(word) || /^\p{Ll}{1,4}$/u.test(word))
  );
}
