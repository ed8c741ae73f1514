import assert from "node:assert/strict";
import { KnowledgeBaseError } from "../errors.js";
import type { Block } from "../interfaces/block.js";
import type { ParsedDocument, Parser, SourceFile } from "../interfaces/parser.js";
import { type ContractCase, createCaseFactory } from "./contract.js";

export interface ParserSample {
  /** A small file in the parser's format. */
  readonly file: SourceFile;
  /** Texts that the file contains, in reading order. */
  readonly contains: readonly string[];
}

/**
 * Returns the contract of parsers, to check on one file.
 *
 * @example
 * for (const { name, run } of parserContract(() => textParser, sample)) test(name, run);
 */
export function parserContract(create: () => Parser | Promise<Parser>, sample: ParserSample): ContractCase[] {
  const testCase = createCaseFactory(create);
  return [
    testCase("declares types and extensions in lower case, without parameters and dots", async (parser) => {
      assert.notEqual(parser.name, "");
      assert.ok(parser.mimeTypes.length > 0);
      for (const type of parser.mimeTypes) assert.match(type, /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/);
      for (const extension of parser.extensions) assert.match(extension, /^[a-z0-9]+$/);
    }),
    testCase("reads the text in order", async (parser) => {
      const text = joinText(await parser.parse(sample.file, {}));
      let position = 0;
      for (const part of sample.contains) {
        position = text.indexOf(part, position);
        assert.notEqual(position, -1, `"${part}" is missing or out of order in: ${text}`);
      }
    }),
    testCase("returns well-formed blocks", async (parser) => {
      const document = await parser.parse(sample.file, {});
      assert.notEqual(document.blocks.length, 0);
      assertHeadingPaths(document.blocks);
      for (const block of document.blocks) assertWellFormed(block, document);
    }),
    testCase("returns a document that can be stored as JSON, with one of its declared types", async (parser) => {
      const document = await parser.parse(sample.file, {});
      assert.deepEqual(JSON.parse(JSON.stringify(document)), document);
      assert.ok(parser.mimeTypes.includes(document.mimeType), document.mimeType);
    }),
    testCase("returns the same result twice and does not change the bytes", async (parser) => {
      const before = sample.file.bytes.slice();
      const first = await parser.parse(sample.file, {});
      assert.deepEqual(await parser.parse(sample.file, {}), first);
      assert.deepEqual(sample.file.bytes.slice(), before);
    }),
    testCase("reads a damaged file or refuses it with invalid_input", async (parser) => {
      for (const bytes of damagedCopies(sample.file.bytes)) {
        try {
          await parser.parse({ ...sample.file, bytes }, {});
        } catch (error) {
          assert.ok(KnowledgeBaseError.is(error, "invalid_input"), String(error));
          assert.equal(error.retryable, false);
        }
      }
    }),
  ];
}

function joinText(document: ParsedDocument): string {
  return document.blocks.map((block) => block.text).join("\n");
}

function assertHeadingPaths(blocks: readonly Block[]): void {
  const openHeadings: { level: number; text: string }[] = [];
  for (const { kind, level, text, headingPath } of blocks) {
    if (kind === "heading") while (openHeadings.length > 0 && openHeadings.at(-1)!.level >= level!) openHeadings.pop();
    assert.deepEqual(
      headingPath,
      openHeadings.map((heading) => heading.text),
      `the headings above "${text}"`,
    );
    if (kind === "heading") openHeadings.push({ level: level!, text });
  }
}

function assertWellFormed(block: Block, { pages }: ParsedDocument): void {
  assert.match(block.text, /\S/, `an empty ${block.kind}`);
  if (block.kind === "heading") assert.ok(block.level! >= 1 && block.level! <= 6 && !block.text.includes("\n"));
  if (block.kind === "list_item") assert.ok(block.level! >= 1);
  if (pages === null) assert.equal(block.page, undefined);
  else assert.ok(block.page! >= 1 && block.page! <= pages, `page ${block.page}`);
  assert.equal(block.kind === "table", block.table !== undefined);
  if (block.table === undefined) return;
  for (const row of block.table.rows) assert.ok(row.length <= block.table.header.length);
  assert.match(block.text, /^\|.*\|\n\|(?: --- \|)+(?:\n\|.*\|)*$/);
}

/** Returns truncated copies of the file, and copies with flipped bits. */
function damagedCopies(bytes: Uint8Array): Uint8Array[] {
  const truncated = [0.3, 0.6, 0.95].map((fraction) => bytes.slice(0, Math.ceil(bytes.length * fraction)));
  const flipped = [1, 2, 3].map((seed) => {
    const copy = bytes.slice();
    for (let i = seed * 7; i < copy.length; i += 97 * seed) copy[i]! ^= 1 << (i % 8);
    return copy;
  });
  return [...truncated, ...flipped];
}
