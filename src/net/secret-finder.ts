import { confidentialPartsOf } from "./confidential-parts.js";

/** From `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface SecretFinder {
  /** Bytes of the shortest secret, or of the shortest part that is looked for. */
  readonly shortest: number;
  /** Whether one has a space. */
  readonly spaces: boolean;
  /** Where secrets, or parts of them, stand in a string of one byte a character. */
  find(bytes: string): readonly Range[];
}

/** A part of a secret that is looked for; parts of this length are no parts of words. */
const PART = 12;
/** Shorter secrets may be parts of words. */
const SHORT = 8;
/** Shorter ones may be words. */
const TINY = 4;
/** What precedes a credential in messages. */
const CREDENTIAL = /(?:\bbearer |["'`=]|: )$/i;

/** Null where there is nothing to look for. */
export function secretFinder(secrets: readonly string[]): SecretFinder | null {
  const known = [...new Set(secrets)].filter((secret) => secret !== "").map(confidentialPartsOf);
  const divisible = bytesOfAll(known.flatMap((parts) => parts.divisible));
  const whole = [
    ...bytesOfAll(known.flatMap((parts) => parts.whole)),
    ...divisible.filter(({ length }) => length < PART),
  ];
  const parts = new Set(divisible.filter(({ length }) => length >= PART).flatMap(partsOf));
  const all = [...whole, ...divisible];
  if (all.length === 0) return null;
  return {
    shortest: Math.min(PART, ...all.map(({ length }) => length)),
    spaces: all.some((secret) => secret.includes(" ")),
    find: (text) => [...placesOfParts(text, parts), ...whole.flatMap((secret) => placesOf(text, secret))],
  };
}

function bytesOfAll(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].map((text) => Buffer.from(text).toString("latin1"));
}

function partsOf(secret: string): readonly string[] {
  return Array.from({ length: secret.length - PART + 1 }, (_, at) => secret.slice(at, at + PART));
}

function placesOfParts(text: string, parts: ReadonlySet<string>): readonly Range[] {
  const places: { start: number; end: number }[] = [];
  if (parts.size === 0) return places;
  for (let start = 0; start + PART <= text.length; start++) {
    if (!parts.has(text.slice(start, start + PART))) continue;
    const end = start + PART;
    const last = places.at(-1);
    if (last && start <= last.end) last.end = end;
    else places.push({ start, end });
  }
  return places;
}

function placesOf(text: string, secret: string): readonly Range[] {
  const places: Range[] = [];
  for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + 1)) {
    const place = { start, end: start + secret.length };
    if (secret.length >= SHORT || standsAlone(text, place, secret)) places.push(place);
  }
  return places;
}

function standsAlone(text: string, { start, end }: Range, secret: string): boolean {
  // Bytes from 0x80 on are letters of other scripts.
  if (/[\w\x80-\xff-]/.test(text.charAt(start - 1)) || /[\w\x80-\xff-]/.test(text.charAt(end))) return false;
  return secret.length >= TINY || CREDENTIAL.test(text.slice(Math.max(0, start - 8), start));
}
