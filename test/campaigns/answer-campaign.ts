import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { KnowledgeBase } from "lorebase";
import { type AnswerQuestion, TEST_QUESTIONS, TUNING_QUESTIONS } from "./answer-questions.js";

/** Questions about the documents in a folder. */
export interface AnswerSet {
  readonly documents: string;
  readonly questions: readonly AnswerQuestion[];
}

const DEMO = fileURLToPath(new URL("../../examples/data", import.meta.url));
const PRACTICE = fileURLToPath(new URL("answer-sets/veterinary-practice", import.meta.url));

/** The sets whose weights or features were chosen without them are `test` and `veterinary-practice`. */
export const ANSWER_SETS: Readonly<Record<"tuning" | "test" | "veterinary-practice", AnswerSet>> = {
  tuning: { documents: DEMO, questions: TUNING_QUESTIONS },
  test: { documents: DEMO, questions: TEST_QUESTIONS },
  "veterinary-practice": readAnswerSet(PRACTICE),
};

/** Reads a set from a folder with `documents/` and `questions.jsonl`. */
function readAnswerSet(folder: string): AnswerSet {
  const lines = readFileSync(join(folder, "questions.jsonl"), "utf8").trim().split("\n");
  return { documents: join(folder, "documents"), questions: lines.map((line): AnswerQuestion => JSON.parse(line)) };
}

export interface AnswerReport {
  readonly embedding: string;
  /** Questions with an answer whose first citation is right. */
  readonly right: number;
  readonly answerable: number;
  /** Questions without an answer for which none is given. */
  readonly declined: number;
  readonly unanswerable: number;
  /** Citations whose quote isn't in its range of the document. */
  readonly broken: number;
  readonly mistakes: readonly string[];
}

/** Asks the questions of a set without a language model. */
export async function runAnswerCampaign({ documents, questions }: AnswerSet, embedding: string): Promise<AnswerReport> {
  const kb = new KnowledgeBase({ directory: ":memory:" });
  try {
    await kb.namespaces.create({ name: "Set", slug: "set", embeddingConfig: { provider: embedding } });
    const set = kb.namespace("set");
    const files = readdirSync(documents).map((name) => join(documents, name));
    await set.ingest({ files }).done({ throwOnFailure: true });
    const mistakes: string[] = [];
    let [right, declined, broken] = [0, 0, 0];
    for (const { question, answers } of questions) {
      const answer = await set.ask(question);
      const checked = await set.verifyCitations(answer);
      broken += checked.filter(({ status }) => status !== "verified").length;
      const first = answer.citations[0]?.quote;
      const isRight =
        first === undefined ? answers.length === 0 : answers.some((part) => first.includes(part) || part === first);
      if (!isRight) mistakes.push(`${question} => ${first ?? "no answer"}`);
      else if (answers.length > 0) right++;
      else declined++;
    }
    const answerable = questions.filter(({ answers }) => answers.length > 0).length;
    const unanswerable = questions.length - answerable;
    return { embedding, right, answerable, declined, unanswerable, broken, mistakes };
  } finally {
    await kb.close();
  }
}
