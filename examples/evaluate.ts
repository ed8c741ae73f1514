// Compares two search modes by questions with known answers.
import { KnowledgeBase } from "lorebase";
import { evaluate, type GoldenQuestion } from "lorebase/evaluate";

const kb = new KnowledgeBase({ directory: ":memory:" });
try {
  await kb.namespaces.create({
    name: "Lighthouse",
    slug: "lighthouse",
    embeddingConfig: { provider: "MANAGED_LEXICAL" },
  });
  const lighthouse = kb.namespace("lighthouse");
  const items = [
    { fileName: "lamp.txt", text: "The lamp is lit thirty minutes before sunset." },
    { fileName: "fog.txt", text: "The fog signal gives one blast every thirty seconds." },
    { fileName: "birds.txt", text: "Puffins nest in the burrows from April to July." },
  ].map((item) => ({ type: "TEXT", ...item }) as const);
  await lighthouse.ingest({ type: "BATCH", items }).done();

  const questions: GoldenQuestion[] = [
    { question: "When is the lamp lit?", answers: [{ document: "lamp.txt", contains: "before sunset" }] },
    { question: "How often is there a blast in fog?", answers: [{ document: "fog.txt" }] },
    { question: "Which months do birds nest?", answers: [{ document: "birds.txt", contains: "April to July" }] },
  ];
  const settings = [
    { name: "words", mode: "keyword" },
    { name: "both", mode: "hybrid", topK: 5 },
  ] as const;
  const { results, comparisons } = await evaluate(lighthouse, questions, { settings });
  for (const { name, measures } of results) console.log(name, measures["nDCG@10"]);
  const { measure, difference, p } = comparisons[0]!;
  console.log(`both − words, ${measure}: ${difference.mean.toFixed(3)}, p = ${p}`);
} finally {
  await kb.close();
}
