import { join } from "node:path";
import { parseFile } from "#dist/parse.js";
import type { Block as ParsedBlock } from "../../src/parse.js";
import type { Block, PrintedDocument } from "./documents.js";

/**
 * Says which part of the headings was read with their level, and of the cross-references with their words and the page of
 * the heading, since the scorer of the corpus knows neither.
 */
export async function scoreHeadings(documents: readonly PrintedDocument[], folder: string): Promise<string> {
  const totals = { headings: 0, levelled: 0, references: 0, kept: 0 };
  const wrong: string[] = [];
  for (const { name, blocks } of documents) {
    const parsed = (await parseFile(join(folder, `${name}.pdf`))).blocks;
    const headings = blocks.filter((block) => block.kind === "heading");
    const read = parsed.filter(({ kind }) => kind === "heading");
    let next = 0;
    const levelled = headings.filter(({ text, level }) => {
      const at = read.findIndex((block, i) => i >= next && block.text === text);
      if (at !== -1) next = at + 1;
      return read[at]?.level === level;
    });
    const references = blocks.flatMap((block) => (block.kind === "paragraph" ? (block.reference ?? []) : []));
    const kept = references.filter((text) => isKept(text, parsed, headings));
    totals.headings += headings.length;
    totals.levelled += levelled.length;
    totals.references += references.length;
    totals.kept += kept.length;
    if (levelled.length < headings.length || kept.length < references.length)
      wrong.push(`${name} ${headings.length - levelled.length}+${references.length - kept.length}`);
  }
  const { headings, levelled, references, kept } = totals;
  return [
    `levels     ${share(levelled, headings)}   ${headings} headings`,
    `references ${share(kept, references)}   ${references} cross-references`,
    ...(wrong.length === 0 ? [] : [`not all of: ${wrong.join(", ")}`]),
  ].join("\n");
}

function isKept(text: string, parsed: readonly ParsedBlock[], headings: readonly Block[]): boolean {
  const pages = parsed.filter((block) => block.kind === "heading" && block.text === text).map(({ page }) => page);
  const isUnique = headings.filter((block) => block.kind === "heading" && block.text === text).length === 1;
  return parsed.some(({ references = [] }) =>
    references.some((reference) => reference.text === text && (!isUnique || pages.includes(reference.page))),
  );
}

function share(part: number, whole: number): string {
  return whole === 0 ? "     -" : (part / whole).toFixed(4);
}
