import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const RECORDS = join(import.meta.dirname, "../../src/storage/records");

/** A statement, a lock or another operation, called without `yield*`: it would never run, or nobody would wait for it. */
const DROPPED = /(?<!yield\* |function\* |`)\b(?:tx\.(?!dialect)(?:index\.)?\w+(?:<[^(]*>)?\(|[a-z]\w*\(\s*tx,)/g;

function droppedCalls(source: string): readonly string[] {
  const code = source.replaceAll(/\/\*\*[\s\S]*?\*\//g, "");
  return [...code.matchAll(DROPPED)].map(([call]) => call.replace(/\s+/g, ""));
}

it("finds a call without yield*", () => {
  const source = 'yield* tx.run("x");\n setStatus(\n tx,\n row);\n tx.run("x");\n return tx.get<Row>("x");';
  expect(droppedCalls(source)).toEqual(["setStatus(tx,", "tx.run(", "tx.get<Row>("]);
});

it("operations on records use yield* for every step", () => {
  const dropped = readdirSync(RECORDS).flatMap((file) =>
    droppedCalls(readFileSync(join(RECORDS, file), "utf8")).map((call) => `${file}: ${call}`),
  );
  expect(dropped).toEqual([]);
});
