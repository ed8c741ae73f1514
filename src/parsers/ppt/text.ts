import { type PptRecord, RECORD_TYPE, uint32 } from "./records.js";

/** The paragraphs of a placeholder or text box. */
export interface PptText {
  /** The purpose of the text, a value of {@link TEXT_KIND}. */
  readonly kind: number;
  readonly paragraphs: readonly PptParagraph[];
}

export interface PptParagraph {
  readonly text: string;
  /** The outline level, from 0. */
  readonly level: number;
  /** Whether the paragraph has a bullet; `null` if the master slide defines it. */
  readonly hasBullet: boolean | null;
}

export const TEXT_KIND = { title: 0, body: 1, notes: 2, centeredTitle: 6, halfBody: 7, quarterBody: 8 } as const;

/** Reads the texts in a sequence of records. Each text begins with a header record. */
export function readTexts(records: Iterable<PptRecord>): PptText[] {
  const texts: PptText[] = [];
  let kind: number | null = null;
  let text: string | null = null;
  let style: Uint8Array | null = null;
  const flush = (): void => {
    if (kind !== null) texts.push({ kind, paragraphs: paragraphsOf(text ?? "", style) });
    kind = null;
    text = null;
    style = null;
  };
  for (const record of records) {
    if (record.type === RECORD_TYPE.textHeader) {
      flush();
      kind = uint32(record.bytes, 0);
    } else if (record.type === RECORD_TYPE.textCharacters) text = decode(record.bytes, "utf16le");
    else if (record.type === RECORD_TYPE.textBytes) text = decode(record.bytes, "latin1");
    else if (record.type === RECORD_TYPE.textStyle) style = record.bytes;
  }
  flush();
  return texts;
}

function decode(bytes: Uint8Array, encoding: "utf16le" | "latin1"): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding);
}

function paragraphsOf(text: string, style: Uint8Array | null): PptParagraph[] {
  const runs = style === null ? [] : readParagraphRuns(style, text.length);
  const paragraphs: PptParagraph[] = [];
  let at = 0;
  let runIndex = 0;
  for (const line of text.split("\r")) {
    while (runIndex < runs.length - 1 && runs[runIndex]!.end <= at) runIndex++;
    const { level = 0, hasBullet = null } = runs[runIndex] ?? {};
    const shown = line
      .replace(/\v/g, "\n")
      .replace(/[ \t]+/g, " ")
      .trim();
    // Fields such as the slide number are stored as an asterisk.
    if (shown !== "" && shown !== "*") paragraphs.push({ text: shown, level, hasBullet });
    at += line.length + 1;
  }
  return paragraphs;
}

interface ParagraphRun {
  readonly end: number;
  readonly level: number;
  readonly hasBullet: boolean | null;
}

/** The sizes of paragraph properties by their mask bit, in the order in which they are stored before the tabs. */
const FIELDS_BEFORE_TABS: readonly (readonly [mask: number, bytes: number])[] = [
  [0x80, 2],
  [0x10, 2],
  [0x40, 2],
  [0x20, 4],
  [0x800, 2],
  [0x1000, 2],
  [0x2000, 2],
  [0x4000, 2],
  [0x100, 2],
  [0x400, 2],
  [0x8000, 2],
];
/** Mask bits of paragraph properties. */
const BULLET_FLAGS = 0xf;
const TABS = 0x100000;
/** The sizes of the paragraph properties that are stored after the tabs. */
const FIELDS_AFTER_TABS: readonly (readonly [mask: number, bytes: number])[] = [
  [0x10000, 2],
  [0xe0000, 2],
  [0x200000, 2],
];

function readParagraphRuns(style: Uint8Array, length: number): ParagraphRun[] {
  const view = new DataView(style.buffer, style.byteOffset, style.byteLength);
  const runs: ParagraphRun[] = [];
  let end = 0;
  let at = 0;
  while (end <= length && at + 10 <= style.length) {
    end += view.getUint32(at, true);
    const level = Math.min(8, view.getUint16(at + 4, true));
    const mask = view.getUint32(at + 6, true);
    at += 10;
    let hasBullet: boolean | null = null;
    if ((mask & BULLET_FLAGS) !== 0 && at + 2 <= style.length) {
      if ((mask & 1) !== 0) hasBullet = (view.getUint16(at, true) & 1) === 1;
      at += 2;
    }
    for (const [bit, bytes] of FIELDS_BEFORE_TABS) if ((mask & bit) !== 0) at += bytes;
    if ((mask & TABS) !== 0) at += 2 + (at + 2 <= style.length ? view.getUint16(at, true) * 4 : 0);
    for (const [bit, bytes] of FIELDS_AFTER_TABS) if ((mask & bit) !== 0) at += bytes;
    runs.push({ end, level, hasBullet });
  }
  return runs;
}
