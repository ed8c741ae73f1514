import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { layerRules } from "../build/layer-rules.js";
import { CLIENTS, LAYERS } from "../build/layers.js";

const root = fileURLToPath(new URL("../src", import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"));
const rows = Object.values(LAYERS).flat();
const rowOf = new Map(rows.flatMap((units, row) => units.map((unit) => [unit, row] as const)));

interface Import {
  readonly from: string;
  readonly to: string;
}

const imports: readonly Import[] = files.flatMap((from) =>
  specifiers(join(root, from)).map((specifier) => ({
    from,
    to: specifier.startsWith(".") ? posix.join(dirname(from), specifier).replace(/\.js$/, ".ts") : specifier,
  })),
);
const between = imports.filter(({ from, to }) => to.endsWith(".ts") && unitOf(from) !== unitOf(to));

it("has ten files at the root of src at most, and each other file in a folder of the table", () => {
  const loose = files.filter((file) => !file.includes("/"));
  expect(loose.length).toBeLessThanOrEqual(10);
  expect(files.map(unitOf).filter((unit) => !rowOf.has(unit))).toEqual([]);
});

it("imports downwards only, types included", () => {
  const upwards = between.filter(({ from, to }) => rowOf.get(unitOf(from))! >= rowOf.get(unitOf(to))!);
  expect(upwards.map(shown)).toEqual([]);
});

it("lets the command, the server and the agents use the public surface only", () => {
  const allowed = [...CLIENTS.parts, ...CLIENTS.surface, ...LAYERS.base!.flat(), ...LAYERS.ground!.flat()];
  const past = between.filter(({ from, to }) => CLIENTS.parts.includes(unitOf(from)) && !allowed.includes(unitOf(to)));
  expect(past.map(shown)).toEqual([]);
});

it("has the lint rules of the table", async () => {
  await expect(layerRules()).toMatchFileSnapshot("../biome.layers.json");
});

it("has no import cycle, types included", () => {
  const graph = new Map(files.map((file) => [file, imports.filter(({ from }) => from === file).map(({ to }) => to)]));
  expect(cycles(graph)).toEqual([]);
});

it("has a PDF parser whose folders import downwards only, types included", () => {
  const rows = [["."], ["headings", "scans", "tables"], ["text"], ["page"], ["pdfjs"]];
  const folderOf = (file: string): string => posix.relative("parsers/pdf", dirname(file)) || ".";
  const rowOfFile = (file: string): number => rows.findIndex((folders) => folders.includes(folderOf(file)));
  const inParser = files.filter((file) => file.startsWith("parsers/pdf/"));
  expect(inParser.filter((file) => rowOfFile(file) < 0)).toEqual([]);
  const upwards = imports.filter(
    ({ from, to }) =>
      inParser.includes(from) &&
      inParser.includes(to) &&
      folderOf(from) !== folderOf(to) &&
      rowOfFile(from) >= rowOfFile(to),
  );
  expect(upwards.map(shown)).toEqual([]);
});

/** The folder, or the file at the root, without its extension. */
function unitOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : path.replace(/\.ts$/, "");
}

function shown({ from, to }: Import): string {
  return `${from} -> ${to}`;
}

/** What a file imports, exports from or loads later. */
function specifiers(path: string): string[] {
  const text = readFileSync(path, "utf8");
  return [...text.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*"([^"]+)"/g)].map(([, specifier]) => specifier!);
}

/** The strongly connected components of more than one file (Tarjan 1972). */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!));
    }
    if (low.get(node) !== index.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) found.push(component.sort());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}
