/** Joins lines into one text, without hyphens at line ends and without spaces between Chinese or Japanese lines. */
export function joinLines(lines: readonly string[]): string {
  let text = "";
  for (const line of lines) {
    if (text === "") text = line;
    else if (/\p{Ll}[-\u00ad\u2010]$/u.test(text) && /^\p{Ll}/u.test(line)) text = text.slice(0, -1) + line;
    else if (
      /[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]$/.test(text) &&
      /^[\u3040-\u30ff\u3400-\u9fff\uff00-\uffef]/.test(line)
    )
      text += line;
    else text += ` ${line}`;
  }
  return text;
}
