/** Formats a count as letters: a to z, then aa, ab … */
export function toLetters(count: number): string {
  let text = "";
  for (let rest = count; rest > 0; rest = Math.floor((rest - 1) / 26))
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  return text;
}
