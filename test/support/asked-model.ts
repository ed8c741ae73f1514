import type { GenerateText, LanguageModel, ModelContent } from "../../src/interfaces/language-model.js";
import { makePng } from "./make-pictures.js";

/** One question that a model was asked: its text and the pictures with it. */
export interface Question {
  readonly text: string;
  readonly pictures: readonly Extract<ModelContent, { type: "image" }>[];
}

type Reply = string | Error | { readonly text: string; readonly finish: "length" | "content-filter" };

export interface AskedModel {
  readonly ask: GenerateText;
  /** The same as a driver. */
  readonly model: LanguageModel;
  readonly questions: Question[];
}

/** A language model that sees: it answers as it is told, and keeps what it was asked. */
export function askedModel(reply: (question: Question) => Reply | Promise<Reply>): AskedModel {
  const questions: Question[] = [];
  const ask: GenerateText = async (messages) => {
    const content = messages.flatMap((message) => (typeof message.content === "string" ? [] : message.content));
    const question: Question = {
      text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
      pictures: content.filter((part) => part.type === "image"),
    };
    questions.push(question);
    const answer = await reply(question);
    if (answer instanceof Error) throw answer;
    return typeof answer === "string" ? { text: answer, finish: "stop" } : answer;
  };
  const model: LanguageModel = {
    provider: "FAKE",
    model: "sees",
    async *generate(messages, { onFinish } = {}) {
      const { text, finish } = await ask(messages);
      yield text;
      onFinish?.(finish);
    },
  };
  return { ask, model, questions };
}

/** A picture in shades that no other number has. */
export function pictureOf(number: number, side = 64): Uint8Array {
  const grey = Uint8Array.from({ length: side * side }, (_, i) => (i * (number + 3) + number * 40) % 256);
  return makePng({ width: side, height: side, grey });
}
