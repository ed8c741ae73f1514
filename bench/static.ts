import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readTable } from "#dist/embedders/static/table-file.js";
import { LEARNED_WEIGHT, TextEmbedder } from "#dist/embedders/static/text-embedder.js";
import { readCollection } from "#dist/evaluate/read-collection.js";

const run = promisify(execFile);
const DIST = new URL("../dist/", import.meta.url).href;
const TABLE = fileURLToPath(new URL("../models/static-1.bin", import.meta.url));
const PAIRS = fileURLToPath(new URL("../training/pairs", import.meta.url));
const CHUNK = 850;
const ROUNDS = 12;
const STARTS = 10;

/** Measures texts per second of processor time on one thread, and the time from process start to the first vector. */
export async function benchStatic(log: (line: string) => void) {
  const { documents, queries } = await readCollection(PAIRS);
  const prose = documents.map(({ text }) => text).join(" ");
  const chunks = Array.from({ length: Math.floor(prose.length / CHUNK) }, (_, at) =>
    prose.slice(at * CHUNK, (at + 1) * CHUNK),
  );
  const questions = queries.map(({ text }) => text);
  const embedder = new TextEmbedder(readTable(await readFile(TABLE), TABLE), LEARNED_WEIGHT);
  const rate = (texts: readonly string[], times: number) => {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time++)
      for (const text of texts) embedder.embed(text, new Float32Array(embedder.dimensions));
    return (texts.length * times * 1e6) / process.cpuUsage(before).user;
  };
  const rates = Array.from({ length: ROUNDS }, () => ({ chunks: rate(chunks, 20), questions: rate(questions, 100) }));
  for (const { chunks, questions } of rates) log(`${chunks.toFixed(0)} chunks/s, ${questions.toFixed(0)} questions/s`);
  return {
    chunksPerSecond: Math.max(...rates.map(({ chunks }) => chunks)),
    questionsPerSecond: Math.max(...rates.map(({ questions }) => questions)),
    firstVectorMs: await best(`
      const { readFileSync } = await import("node:fs");
      const { readTable } = await import("${DIST}embedders/static/table-file.js");
      const { TextEmbedder } = await import("${DIST}embedders/static/text-embedder.js");
      const embedder = new TextEmbedder(readTable(readFileSync(${JSON.stringify(TABLE)}), "table"), 0.5);
      embedder.embed("Are pets welcome at work?", new Float32Array(embedder.dimensions));`),
    firstVectorByThreadMs: await best(`
      const { staticEmbedder } = await import("${DIST}embedders/static/provider.js");
      await (await staticEmbedder()).embed(["Are pets welcome at work?"], { purpose: "query" });`),
    emptyProcessMs: await best(""),
  };
}

async function best(script: string): Promise<number> {
  const times: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    const { stdout } = await run(process.execPath, [
      "--input-type=module",
      "-e",
      `${script} console.log(performance.now());`,
    ]);
    times.push(Number(stdout));
  }
  return Math.min(...times);
}
