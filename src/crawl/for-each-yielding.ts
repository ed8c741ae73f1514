import { setImmediate } from "node:timers/promises";

/** A few milliseconds of work, in characters plus {@link CHARS_PER_TEXT} per text. */
const SLICE_CHARS = 50_000;
const CHARS_PER_TEXT = 200;

/** Calls `visit` with each text, and yields to the event loop every few milliseconds. */
export async function forEachYielding(texts: readonly string[], visit: (text: string) => void): Promise<void> {
  let chars = 0;
  for (const text of texts) {
    visit(text);
    chars += CHARS_PER_TEXT + text.length;
    if (chars < SLICE_CHARS) continue;
    chars = 0;
    await setImmediate();
  }
}
