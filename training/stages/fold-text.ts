import { createWriteStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { readCollection } from "../../src/evaluate/read-collection.js";
import { fold } from "./fold.js";
import { markdownLines } from "./markdown-lines.js";
import { readLines } from "./read-lines.js";

const SHARD = /\.txt(\.zst)?$/;
const MARKDOWN = /\.md$/;
/** The group of Markdown files. */
const DOCUMENTS = "documents";
/** Characters. */
const SHORTEST_PARAGRAPH = 40;

/**
 * Stage 1. Writes every shard and Markdown file of a folder as folded text, one file; the shards' lines are described in
 * `training/README.md`. Paragraphs that are too short or hardly text are left out.
 *
 * @param excluded Sources that are passed over, by their names in the shards.
 */
export async function foldShards(directory: string, output: string, excluded: readonly string[]): Promise<void> {
  const names = (await readdir(directory, { recursive: true })).sort();
  const shards = names.filter((name) => SHARD.test(name)).map((name) => join(directory, name));
  // What is said of the text is not the text.
  const documents = names.filter((name) => MARKDOWN.test(name) && !/^(LICEN[CS]ES?|README)\.md$/.test(name));
  if (shards.length + documents.length === 0)
    throw new Error(`${directory} holds no training text: it must have files *.txt, *.txt.zst or *.md`);
  const files = documents.map((name) => join(directory, name));
  await pipeline(folded(lines(shards, files), new Set(excluded)), createWriteStream(output));
}

/** Writes the documents and queries of test collections as folded text, one a line: what must not be trained on. */
export async function foldCollections(directories: readonly string[], output: string): Promise<void> {
  await pipeline(judged(directories), createWriteStream(output));
}

async function* lines(shards: readonly string[], documents: readonly string[]): AsyncGenerator<[string, string]> {
  for (const shard of shards) {
    const group = basename(shard).replace(SHARD, "");
    for await (const line of readLines(shard)) yield [group, line];
  }
  if (documents.length > 0) yield [DOCUMENTS, `#\t${DOCUMENTS}`];
  for (const document of documents) for await (const line of markdownLines(document)) yield [DOCUMENTS, line];
}

async function* folded(
  shards: AsyncIterable<readonly [group: string, line: string]>,
  excluded: ReadonlySet<string>,
): AsyncGenerator<string> {
  let skipping = false;
  for await (const [group, line] of shards) {
    const [kind, ...fields] = line.split("\t");
    if (kind === "#") skipping = excluded.has(fields[0]!);
    if (skipping) continue;
    if (kind === "#") yield `#\t${fields[0]}\t${group}\n`;
    else if (kind === "P") {
      if (isText(fields[0]!)) yield `P\t${fold(fields[0]!)}\n`;
    } else if (kind === "D") yield `D\t${fold(fields[0]!)}\n`;
    else if (kind === "H") yield `H\t${fields[0]}\t${fold(fields[1]!)}\n`;
    else if (kind === "X") yield `X\t${fields[0]}\t${fold(fields[1]!)}\t${fold(fields[2]!)}\n`;
    else throw new Error(`${group} has a line of an unknown kind: ${JSON.stringify(line.slice(0, 80))}`);
  }
}

async function* judged(directories: readonly string[]): AsyncGenerator<string> {
  for (const directory of directories) {
    const { documents, queries } = await readCollection(directory);
    for (const { title, text } of documents) {
      if (title !== "") yield `${fold(title)}\n`;
      yield `${fold(text)}\n`;
    }
    for (const { text } of queries) yield `${fold(text)}\n`;
  }
}

function isText(paragraph: string): boolean {
  if (paragraph.length < SHORTEST_PARAGRAPH) return false;
  const letters = paragraph.match(/[\p{L} ]/gu)?.length ?? 0;
  return letters >= 0.75 * paragraph.length;
}
