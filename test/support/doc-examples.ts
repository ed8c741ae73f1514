import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** An `@example` of a doc comment. */
export interface DocExample {
  /** As in `src/namespace-handle.ts:58`. */
  readonly place: string;
  readonly code: string;
}

const COMMENT = /^[ \t]*\/\*\*[\s\S]*?\*\//gm;
/** Up to the next tag or the comment's end. */
const EXAMPLE = /^[ \t]*\* @example[ \t]*\n([\s\S]*?)(?=^[ \t]*\* @|\*\/)/gm;

/** Every example in the doc comments of a folder's TypeScript files. */
export function docExamples(folder: string): DocExample[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  return paths.map((path) => join(folder, path)).flatMap((path) => examplesOf(path, readFileSync(path, "utf8")));
}

function examplesOf(path: string, source: string): DocExample[] {
  return [...source.matchAll(COMMENT)].flatMap(({ 0: comment, index: start }) =>
    [...comment.matchAll(EXAMPLE)].map(({ 1: body = "", index }) => ({
      place: `${path}:${source.slice(0, start + index).split("\n").length}`,
      code: body
        .split("\n")
        .map((line) => line.replace(/^[ \t]*\* ?/, ""))
        .filter((line) => !line.startsWith("```"))
        .join("\n"),
    })),
  );
}
