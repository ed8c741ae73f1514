import type { NamespaceHandle } from "lorebase";
import { evaluate, questionsFromFeedback } from "lorebase/evaluate";
import { afterAll, beforeEach, expect, it } from "vitest";
import { newNamespace, openKnowledgeBase } from "../support/knowledge-base.js";

const kb = openKnowledgeBase();
afterAll(() => kb.close());

let keeper: NamespaceHandle;
let lamp: string;
let fog: string;
beforeEach(async () => {
  keeper = await newNamespace(kb);
  lamp = await addText(keeper, "The lamp is lit before sunset.");
  fog = await addText(keeper, "The fog signal gives one blast.");
});

async function addText(handle: NamespaceHandle, text: string): Promise<string> {
  const { id } = await handle.ingest({ type: "TEXT", text }).done();
  return (await handle.documents.list({ ingestJobId: id })).items[0]!.id;
}

function rate(handle: NamespaceHandle, question: string, documents: readonly string[], rating: "up" | "down" = "up") {
  return handle.feedback.add({ question, answer: "So.", rating, chunkIds: documents.map((id) => `${id}#0`) });
}

it("are the questions whose answers were rated up, once each, with all cited documents", async () => {
  await rate(keeper, "When is the lamp lit?", [lamp]);
  await rate(keeper, "How long is the blast?", [fog], "down");
  await rate(keeper, "What is there at night?", [fog]);
  await rate(keeper, "When is the lamp lit?", [fog, lamp, lamp]);
  const questions = await questionsFromFeedback(keeper);
  expect(questions).toEqual([
    { question: "When is the lamp lit?", answers: [{ document: lamp }, { document: fog }] },
    { question: "What is there at night?", answers: [{ document: fog }] },
  ]);
  const { results } = await evaluate(keeper, questions, { settings: [{ name: "words", mode: "keyword" }] });
  expect(results[0]!.measures["MRR@10"]!.mean).toBeGreaterThan(0);
});

it("leave out documents that are gone, and questions without any", async () => {
  await rate(keeper, "When is the lamp lit?", [lamp, fog]);
  await rate(keeper, "How long is the blast?", [fog]);
  await rate(keeper, "Who asks?", []);
  await keeper.documents.delete(fog);
  await kb.drain();
  expect(await questionsFromFeedback(keeper)).toEqual([
    { question: "When is the lamp lit?", answers: [{ document: lamp }] },
  ]);
});

it("are those of one tenant, about its own documents", async () => {
  const acme = keeper.tenant("acme");
  const red = await addText(acme, "Acme's lamp is red.");
  await rate(keeper, "When is the lamp lit?", [lamp, red]);
  await rate(acme, "Which colour is the lamp?", [red, lamp]);
  expect(await questionsFromFeedback(keeper)).toEqual([
    { question: "When is the lamp lit?", answers: [{ document: lamp }] },
  ]);
  expect(await questionsFromFeedback(acme)).toEqual([
    { question: "Which colour is the lamp?", answers: [{ document: red }] },
  ]);
});
