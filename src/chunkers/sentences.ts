/** Abbreviations whose full stop doesn't end a sentence, though Unicode's rules break there before a capital letter. */
const ABBREVIATIONS =
  String.raw`Dr|Mr|Mrs|Ms|Prof|Sr|Jr|St|Hr|Fr|Hon|Rev|Gen|Col|Capt|Lt|Sgt|Inc|Ltd|Co|Corp|vs|etc|cf|ca|al|approx|e\.g` +
  String.raw`|i\.e|z\.B|d\.h|u\.a|bzw|Nr|No|nos|Vol|vol|Art|art|Abs|Sec|sec|Ch|ch|Fig|fig|Figs|Tab|Eq|eq|Ref|ed|eds|p` +
  String.raw`|pp|S|Bd|Aufl|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|a\.m|p\.m|U\.S|[A-Z]`;
const ABBREVIATION_PATTERN = new RegExp(String.raw`(?:^|[\s(["'“„])(?:${ABBREVIATIONS})\.\s*$`);

const TERMINATOR_PATTERN = /\p{Sentence_Terminal}/u;
const MAX_ABBREVIATION_LENGTH = 16;
/** Characters to examine past the end of a range: closing quotes and spaces belong to the sentence before them. */
const LOOKAHEAD = 8;

let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the offsets at which sentences start in a range of a text, or a few characters after it, but not the start of
 * the range. A single line break counts as a space: wrapped lines are not sentences.
 */
export function sentenceStarts(text: string, from: number, to: number): number[] {
  const window = text.slice(from, Math.min(text.length, to + LOOKAHEAD));
  if (!TERMINATOR_PATTERN.test(window)) return [];
  segmenter ??= new Intl.Segmenter("en", { granularity: "sentence" });
  const starts: number[] = [];
  for (const { index } of segmenter.segment(window.replace(/\n(?!\n)/g, " "))) {
    const at = from + index;
    if (index > 0 && at <= to + LOOKAHEAD && !endsInAbbreviation(text, at)) starts.push(at);
  }
  return starts;
}

/** Returns the end of the last sentence that ends by `limit`, without trailing whitespace; `null` if none does. */
export function lastSentenceEnd(text: string, from: number, limit: number): number | null {
  // A sentence usually ends close to the limit, so the search starts there and widens.
  for (let reach = 256; ; reach *= 4) {
    const start = Math.max(from, limit - reach);
    const ends = sentenceStarts(text, start, limit).map((at) => trimmedEnd(text, start, at));
    const end = ends.findLast((at) => at > start && at <= limit);
    if (end !== undefined) return end;
    if (start === from) return null;
  }
}

/** Returns the end of the first sentence that ends after `from` and by `limit`; `null` if none does. */
export function nextSentenceEnd(text: string, from: number, limit: number): number | null {
  for (let reach = 256; ; reach *= 4) {
    const to = Math.min(limit, from + reach);
    for (const at of sentenceStarts(text, from, to)) {
      const end = trimmedEnd(text, from, at);
      if (end > from && end <= limit) return end;
    }
    if (to === limit) return null;
  }
}

/** Whether the text up to `at` ends with sentence punctuation. */
export function endsSentence(text: string, at: number): boolean {
  return /\p{Sentence_Terminal}\p{P}{0,3}$/u.test(text.slice(Math.max(0, at - 4), at));
}

/** Returns the end of a range without trailing whitespace. */
export function trimmedEnd(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && isSpace(text, end - 1)) end--;
  return end;
}

/** Returns the start of a range without leading whitespace. */
export function trimmedStart(text: string, from: number, to: number): number {
  let start = from;
  while (start < to && isSpace(text, start)) start++;
  return start;
}

export function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code <= 32 ? code === 32 || (code >= 9 && code <= 13) : code >= 0xa0 && /\s/.test(text[at]!);
}

function endsInAbbreviation(text: string, at: number): boolean {
  return ABBREVIATION_PATTERN.test(text.slice(Math.max(0, at - MAX_ABBREVIATION_LENGTH), at));
}
