import fc from "fast-check";

/** Endings and beginnings that stemmers remove, in several languages. */
const PARTS = [
  "",
  "s",
  "en",
  "ing",
  "ía",
  "ler",
  "ısı",
  "ому",
  "ах",
  "ber",
  "me",
  "bh",
  "ال",
  "ات",
  "ης",
  "λό",
  "њ",
  "љу",
];
const ROOTS = [
  "light",
  "Haus",
  "häus",
  "Straß",
  "CAFÉ",
  "ısı",
  "маяк",
  "ёлк",
  "فنار",
  "φάρ",
  "ладј",
  "lampar",
  "ay",
  "ty",
];

/** A word that the stemmer of some language changes. */
export const stemmableWord = fc
  .tuple(fc.constantFrom(...PARTS), fc.constantFrom(...ROOTS), fc.constantFrom(...PARTS))
  .map((parts) => parts.join(""));
