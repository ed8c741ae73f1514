import { foldText } from "../../src/embedders/lexical/characters.js";

/** Between sentences: white space behind a full stop, before a capital letter. */
const BOUNDARY = /(?<=[.!?]["')\]]{0,2})\s+(?=["'(]?[A-Z])/g;
const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}]+/gu;

/** Words as the embedder reads them, with one space between, and ` . ` between sentences. */
export function fold(text: string): string {
  const sentences = text.split(BOUNDARY).map((sentence) => foldText(sentence).replace(BETWEEN_WORDS, " ").trim());
  return sentences.filter((sentence) => sentence !== "").join(" . ");
}
