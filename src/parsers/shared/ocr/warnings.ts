import type { PlacedWord } from "./picture-layout.js";

/** Below this a reader would find mistakes in most lines. */
const DOUBTFUL = 0.65;

/** Says so where recognised text can't be relied on. */
export function doubtWarning(words: readonly PlacedWord[]): string[] {
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  if (letters === 0) return [];
  const sure = words.reduce((sum, word) => sum + word.length * word.confidence, 0) / letters;
  return sure >= DOUBTFUL ? [] : [`The recognised text is doubtful: it is sure to ${Math.round(sure * 100)} % only.`];
}
