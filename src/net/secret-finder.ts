import { confidentialPartsOf } from "./confidential-parts.js";

/** Half-open: `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface SecretFinder {
  /** Length in bytes of the shortest match. */
  readonly minBytes: number;
  /** Whether any secret contains a space. */
  readonly hasSpaces: boolean;
  /** Finds secrets and fragments of them in a binary string. */
  find(bytes: string): readonly Range[];
}

/** Length of the fragments to match, long enough not to occur in words. */
const FRAGMENT_BYTES = 12;
/** Shorter secrets may occur in words, and match only as separate words. */
const MIN_SUBSTRING_BYTES = 8;
/** Shorter secrets may be words, and match only where a credential is expected. */
const MIN_WORD_BYTES = 4;
/** What precedes credentials in messages. */
const CREDENTIAL_PREFIX = /(?:\bbearer |["'`=]|: )$/i;

/** Creates a finder for the secrets, or returns `null` if there are none. */
export function secretFinder(secrets: readonly string[]): SecretFinder | null {
  const known = [...new Set(secrets)].filter((secret) => secret !== "").map(confidentialPartsOf);
  const divisible = bytesOfAll(known.flatMap((parts) => parts.divisible));
  const whole = [
    ...bytesOfAll(known.flatMap((parts) => parts.whole)),
    ...divisible.filter(({ length }) => length < FRAGMENT_BYTES),
  ];
  const fragments = new Set(divisible.filter(({ length }) => length >= FRAGMENT_BYTES).flatMap(fragmentsOf));
  const all = [...whole, ...divisible];
  if (all.length === 0) return null;
  return {
    minBytes: Math.min(FRAGMENT_BYTES, ...all.map(({ length }) => length)),
    hasSpaces: all.some((secret) => secret.includes(" ")),
    find: (text) => [...findFragments(text, fragments), ...whole.flatMap((secret) => findSecret(text, secret))],
  };
}

function bytesOfAll(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].map((text) => Buffer.from(text).toString("latin1"));
}

function fragmentsOf(secret: string): readonly string[] {
  return Array.from({ length: secret.length - FRAGMENT_BYTES + 1 }, (_, i) => secret.slice(i, i + FRAGMENT_BYTES));
}

function findFragments(text: string, fragments: ReadonlySet<string>): readonly Range[] {
  const ranges: { start: number; end: number }[] = [];
  if (fragments.size === 0) return ranges;
  for (let start = 0; start + FRAGMENT_BYTES <= text.length; start++) {
    if (!fragments.has(text.slice(start, start + FRAGMENT_BYTES))) continue;
    const end = start + FRAGMENT_BYTES;
    const last = ranges.at(-1);
    if (last && start <= last.end) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

function findSecret(text: string, secret: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + 1)) {
    const range = { start, end: start + secret.length };
    if (secret.length >= MIN_SUBSTRING_BYTES || isSeparateSecret(text, range, secret)) ranges.push(range);
  }
  return ranges;
}

function isSeparateSecret(text: string, { start, end }: Range, secret: string): boolean {
  // Bytes from 0x80 belong to letters of other scripts.
  if (/[\w\x80-\xff-]/.test(text.charAt(start - 1)) || /[\w\x80-\xff-]/.test(text.charAt(end))) return false;
  return secret.length >= MIN_WORD_BYTES || CREDENTIAL_PREFIX.test(text.slice(Math.max(0, start - 8), start));
}
