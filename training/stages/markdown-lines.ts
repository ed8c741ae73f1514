import { basename } from "node:path";
import { readLines } from "./read-lines.js";

const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/;
const FENCE = /^\s*(```|~~~)/;
const LINK = /!?\[([^\]]*)\]\([^)]*\)/g;
const LIST_MARK = /^\s*(?:[-*+]|\d+[.)])\s+/;

/** A Markdown file as the lines of a shard: the file's name is the title. Code and tables are left out. */
export async function* markdownLines(path: string): AsyncGenerator<string> {
  yield `D\t${basename(path).replace(/\.md$/, "")}`;
  let paragraph: string[] = [];
  let isCode = false;
  const taken = () => {
    const text = plain(paragraph.join(" "));
    paragraph = [];
    return text === "" ? [] : [`P\t${text}`];
  };
  for await (const line of readLines(path)) {
    const isFence = FENCE.test(line);
    const [, marks, heading] = isCode ? [] : (HEADING.exec(line) ?? []);
    const isText = !isFence && !isCode && heading === undefined && line.trim() !== "" && !line.startsWith("|");
    if (!isText || LIST_MARK.test(line)) yield* taken();
    if (isText) paragraph.push(line.replace(LIST_MARK, ""));
    if (heading !== undefined) yield `H\t${marks!.length}\t${plain(heading)}`;
    if (isFence) isCode = !isCode;
  }
  yield* taken();
}

function plain(markdown: string): string {
  return markdown.replace(LINK, "$1").replace(/[*_`]/g, "").replace(/\s+/g, " ").trim();
}
