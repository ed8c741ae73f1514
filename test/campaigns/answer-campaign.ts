import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { KnowledgeBase } from "lorebase";
import type { AnswerQuestion } from "./answer-questions.js";

const DATA = fileURLToPath(new URL("../../examples/data", import.meta.url));

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

/** Asks questions about the documents in `examples/data`, without a language model. */
export async function runAnswerCampaign(
  questions: readonly AnswerQuestion[],
  embedding: string,
): Promise<AnswerReport> {
  const kb = new KnowledgeBase({ directory: ":memory:" });
  try {
    await kb.namespaces.create({ name: "Light", slug: "light", embeddingConfig: { provider: embedding } });
    const light = kb.namespace("light");
    const files = readdirSync(DATA).map((name) => `${DATA}/${name}`);
    await light.ingest({ files }).done({ throwOnFailure: true });
    const mistakes: string[] = [];
    let [right, declined, broken] = [0, 0, 0];
    for (const { question, answers } of questions) {
      const answer = await light.ask(question);
      const checked = await light.verifyCitations(answer);
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
