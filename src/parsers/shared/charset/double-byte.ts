/** An East Asian double-byte charset and how well a text matches it. */
export interface DoubleByteMatch {
  readonly charset: string;
  /** Share of common characters among the characters beyond ASCII, from 0 to 1. */
  readonly share: number;
}

interface DoubleByteCharset {
  readonly name: string;
  isPair(lead: number, trail: number): boolean;
  /** Whether a pair is punctuation, a syllable, or a frequent character, which standards assign to their first level. */
  isCommon(lead: number, trail: number): boolean;
}

const within = (byte: number, low: number, high: number): boolean => byte >= low && byte <= high;
const isHigh = (byte: number): boolean => within(byte, 0xa1, 0xfe);

/** In order of precedence for bytes that are common text in several charsets: narrower ranges first. */
const CHARSETS: readonly DoubleByteCharset[] = [
  {
    name: "shift_jis",
    isPair: (lead, trail) =>
      (within(lead, 0x81, 0x9f) || within(lead, 0xe0, 0xfc)) && within(trail, 0x40, 0xfc) && trail !== 0x7f,
    isCommon: (lead) => within(lead, 0x81, 0x83) || within(lead, 0x88, 0x97),
  },
  {
    name: "euc-kr",
    isPair: (lead, trail) => isHigh(lead) && isHigh(trail),
    isCommon: (lead) => within(lead, 0xb0, 0xc8),
  },
  {
    name: "gb18030",
    isPair: (lead, trail) => within(lead, 0x81, 0xfe) && within(trail, 0x40, 0xfe) && trail !== 0x7f,
    isCommon: (lead, trail) => (within(lead, 0xb0, 0xd7) || lead === 0xa1 || lead === 0xa3) && isHigh(trail),
  },
  {
    name: "euc-jp",
    isPair: (lead, trail) => (isHigh(lead) || lead === 0x8e) && isHigh(trail),
    isCommon: (lead) => within(lead, 0xb0, 0xcf) || lead === 0xa1 || lead === 0xa4 || lead === 0xa5,
  },
  {
    name: "big5",
    isPair: (lead, trail) => within(lead, 0xa1, 0xf9) && (within(trail, 0x40, 0x7e) || isHigh(trail)),
    isCommon: (lead) => within(lead, 0xa1, 0xa1) || within(lead, 0xa4, 0xc6),
  },
];

/** Returns the double-byte charsets in which at most 1 % of the characters are invalid, best first. */
export function doubleByteMatches(bytes: Uint8Array): DoubleByteMatch[] {
  return CHARSETS.map((charset) => ({ charset: charset.name, share: shareOf(bytes, charset) }))
    .filter((match) => match.share > 0)
    .sort((a, b) => b.share - a.share);
}

function shareOf(bytes: Uint8Array, charset: DoubleByteCharset): number {
  let commonCount = 0;
  let totalCount = 0;
  let invalidCount = 0;
  for (let i = 0; i < bytes.length; i++) {
    const lead = bytes[i]!;
    if (lead < 0x80) continue;
    totalCount++;
    if (charset.isPair(lead, bytes[i + 1] ?? 0)) {
      if (charset.isCommon(lead, bytes[i + 1]!)) commonCount++;
      i++;
    } else if (charset.name !== "shift_jis" || !within(lead, 0xa1, 0xdf)) invalidCount++;
  }
  return invalidCount > totalCount * 0.01 ? 0 : commonCount / Math.max(1, totalCount);
}
