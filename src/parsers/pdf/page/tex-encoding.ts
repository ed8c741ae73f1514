import type { TextItem } from "pdfjs-dist/types/src/display/api.js";
import { groupBy } from "../../../util/group-by.js";

/** Characters of the encodings of TeX's fonts from 0x0e on. Source: the LaTeX font guide (fntguide), on T1 and OT1. */
const T1 = ["‹", "›", "“", "”", "„", "«", "»", "–", "—", "", "", "ı", "ȷ", "ff", "fi", "fl", "ffi", "ffl"];
const OT1 = ["ffi", "ffl", "ı", "ȷ", "`", "´", "ˇ", "˘", "¯", "˚", "¸", "ß", "æ", "œ", "ø", "Æ", "Œ", "Ø"];
const FIRST_CODE = 0x0e;
/** Three ligatures of OT1 have the codes of white space. */
const OT1_SPACES = ["ff", "fi", "fl"];
const FIRST_SPACE_CODE = 0x0b;
/** Characters of ASCII that fonts of OT1 with ligatures don't have. */
const OT1_PUNCTUATION: Readonly<Record<string, string>> = {
  "{": "–",
  "|": "—",
  "\\": "“",
  '"': "”",
  "<": "¡",
  ">": "¿",
};
/** The bullet of TeX's encoding for symbols, TS1, which is a letter in T1. */
const TS1_BULLET_PATTERN = /^\x88(?=\s|$)/;
/** A page with a larger share of control characters is no text in these encodings. */
const MAX_CONTROL_SHARE = 0.1;

type Item = Pick<TextItem, "str" | "fontName">;

/**
 * Returns a function that replaces the control characters in the texts of a page, if TeX has made it with fonts whose
 * characters have no names: ligatures, dashes, quotation marks and bullets. The ligatures within words tell the encoding.
 */
export function texDecoder(items: readonly Item[]): (item: Item) => string {
  const all = items.map(({ str }) => str).join("\n");
  const controlCount = all.match(/(?!\n)\p{Cc}/gu)?.length ?? 0;
  if (controlCount === 0 || controlCount > all.length * MAX_CONTROL_SHARE) return ({ str }) => str;
  const isOt1 = ligaturesIn(all, 0x0b, 0x0f) > ligaturesIn(all, 0x1b, 0x1f);
  const texts = groupBy(items, ({ fontName }) => fontName);
  const hasLigatures = ([, own]: [string, Item[]]): boolean => own.some(({ str }) => ligaturesIn(str, 0x0b, 0x0f) > 0);
  const romanFonts = new Set(isOt1 ? [...texts].filter(hasLigatures).map(([font]) => font) : []);
  const characterOf = (control: string): string | undefined => {
    const code = control.charCodeAt(0);
    if (code >= FIRST_CODE) return (isOt1 ? OT1 : T1)[code - FIRST_CODE];
    return isOt1 ? OT1_SPACES[code - FIRST_SPACE_CODE] : undefined;
  };
  return ({ str, fontName }) => {
    const text = romanFonts.has(fontName) ? str.replace(/[{|\\"<>]/g, (mark) => OT1_PUNCTUATION[mark]!) : str;
    return text.replace(TS1_BULLET_PATTERN, "•").replace(/\p{Cc}/gu, (control) => characterOf(control) ?? control);
  };
}

/** Returns how often a control character within a range of codes is followed by a letter. */
function ligaturesIn(text: string, first: number, last: number): number {
  const codes = (text.match(/\p{Cc}(?=\p{Ll})/gu) ?? []).map((control) => control.charCodeAt(0));
  return codes.filter((code) => code >= first && code <= last).length;
}
