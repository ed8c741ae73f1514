import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compare, type Figures, type QuerySet, type Round } from "./compare.js";
import { Bm25Answers } from "./data/bm25.js";
import { KeywordTexts } from "./data/keyword-texts.js";
import type { Workload } from "./workload.js";

const QUERIES = 300;
/** The namespace needs vectors, though these searches don't use them. */
const DIMENSIONS = 32;

export interface KeywordsRound {
  readonly rows: number;
  readonly queries: number;
  readonly figures: readonly Figures[];
}

/** Keyword searches of three terms over chunks of 60 words: terms of one chunk, and terms of all frequencies. */
export async function benchKeywords(
  rows: number,
  { candidates, directory, log }: Pick<Round, "candidates" | "directory" | "log">,
): Promise<KeywordsRound> {
  mkdirSync(directory, { recursive: true });
  const workload: Workload = { kind: "keywords", rows, dimensions: DIMENSIONS, file: join(directory, "texts.txt") };
  const texts = new KeywordTexts(rows, 3);
  writeFileSync(workload.file, `${texts.texts.join("\n")}\n`);
  const sets = [
    querySet("ofOneChunk", texts.texts, texts.ofOneChunk(QUERIES, 4)),
    querySet("ofAllFrequencies", texts.texts, texts.ofAllFrequencies(QUERIES, 5)),
  ];
  log(`${rows} chunks of 60 words, ${QUERIES} queries of each kind`);
  try {
    return { rows, queries: QUERIES, figures: await compare({ workload, sets, candidates, directory, log }) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function querySet(name: string, texts: readonly string[], queries: readonly string[]): QuerySet {
  const answers = new Map<number, Bm25Answers>();
  return {
    name,
    queries: queries.map((text) => ({ kind: "text", text })),
    recall(found, rows) {
      const expected = answers.get(rows) ?? new Bm25Answers(texts.slice(0, rows), queries);
      answers.set(rows, expected);
      return expected.agreement(found);
    },
  };
}
