import { setImmediate } from "node:timers/promises";

/** Some milliseconds of work, as {@link inSlices} weighs it. */
const SLICE = 50_000;
const EACH = 200;

/** Goes through texts on the caller's thread, and lets its event loop go on every few milliseconds. */
export async function inSlices(texts: readonly string[], use: (text: string) => void): Promise<void> {
  let weight = 0;
  for (const text of texts) {
    use(text);
    weight += EACH + text.length;
    if (weight < SLICE) continue;
    weight = 0;
    await setImmediate();
  }
}
