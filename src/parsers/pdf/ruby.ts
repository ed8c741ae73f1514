import type { Run } from "./runs.js";

const READING_PATTERN = /^[\u3041-\u30ff\u3105-\u312f\s]+$/;
const IDEOGRAPH_PATTERN = /[\u3005-\u3007\u2e80-\u2fdf\u3400-\u9fff\uf900-\ufaff]/;
/** The size of a reading, and the distance of its baseline, as multiples of the size of the text below it. */
const MAX_READING_SIZE_RATIO = 0.65;
const MAX_RISE_RATIO = 1.4;

/** Moves readings, which are small kana above ideographs (ruby), into the text after these, in parentheses. */
export function joinReadings(runs: Run[]): void {
  const readings = runs.filter(({ text }) => READING_PATTERN.test(text));
  const texts = runs.filter(({ text }) => IDEOGRAPH_PATTERN.test(text));
  if (readings.length === 0 || texts.length === 0) return;
  const insertions = new Map<Run, { at: number; reading: string }[]>();
  const joined = new Set<Run>();
  for (const reading of readings) {
    const text = texts.find((run) => isAbove(reading, run));
    if (text === undefined) continue;
    const at = endOfAnnotated(text, reading);
    if (at === null) continue;
    const own = insertions.get(text) ?? [];
    insertions.set(text, [...own, { at, reading: reading.text.trim() }]);
    joined.add(reading);
  }
  for (const [run, own] of insertions)
    for (const { at, reading } of own.sort((a, b) => b.at - a.at))
      run.text = `${run.text.slice(0, at)}(${reading})${run.text.slice(at)}`;
  if (joined.size > 0) runs.splice(0, runs.length, ...runs.filter((run) => !joined.has(run)));
}

function isAbove(reading: Run, text: Run): boolean {
  const rise = text.baseline - reading.baseline;
  const middle = (reading.left + reading.right) / 2;
  return (
    reading.size < text.size * MAX_READING_SIZE_RATIO &&
    rise > text.size * 0.4 &&
    rise < text.size * MAX_RISE_RATIO &&
    middle > text.left &&
    middle < text.right
  );
}

/** Returns the offset after the ideographs below a reading; `null` if there are none. All characters are as wide. */
function endOfAnnotated({ text, left, right }: Run, reading: Run): number | null {
  const width = (right - left) / text.length;
  const under = Math.floor(((reading.left + reading.right) / 2 - left) / width);
  const middle = [under, under - 1, under + 1].find((at) => IDEOGRAPH_PATTERN.test(text[at] ?? ""));
  if (middle === undefined) return null;
  const last = Math.max(middle, Math.ceil((reading.right - left) / width - 0.75) - 1);
  let end = middle + 1;
  while (end <= last && IDEOGRAPH_PATTERN.test(text[end] ?? "")) end++;
  return end;
}
