import type { PlacedWord } from "./picture-layout.js";

/** Below this confidence most lines contain errors. */
const DOUBTFUL = 0.65;

/** Warns of unreliable OCR text. */
export function doubtWarning(words: readonly PlacedWord[]): string[] {
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  if (letters === 0) return [];
  const sure = words.reduce((sum, word) => sum + word.length * word.confidence, 0) / letters;
  return sure >= DOUBTFUL
    ? []
    : [`The recognised text is unreliable: its confidence is only ${Math.round(sure * 100)} %.`];
}
