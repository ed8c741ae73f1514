import { setImmediate } from "node:timers/promises";

/** The work between two yields, a few milliseconds: the characters of the texts, plus {@link CHARS_PER_TEXT} each. */
const SLICE_CHARS = 50_000;
const CHARS_PER_TEXT = 200;

/** Calls `visit` with each text, and yields to the event loop every few milliseconds. */
export async function forEachYielding(texts: readonly string[], visit: (text: string) => void): Promise<void> {
  let charCount = 0;
  for (const text of texts) {
    visit(text);
    charCount += CHARS_PER_TEXT + text.length;
    if (charCount < SLICE_CHARS) continue;
    charCount = 0;
    await setImmediate();
  }
}
