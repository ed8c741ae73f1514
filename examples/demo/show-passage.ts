import { styleText } from "node:util";
import { type Answer, formatCitation, type SearchHit } from "lorebase";
import { type Excerpt, excerptOf } from "./excerpt.js";

type Style = Parameters<typeof styleText>[0];

const WIDTH = Math.min(process.stdout.columns ?? 100, 110);
const INDENT = 19;

/** Styles a text if the output is a terminal. */
export function style(format: Style, text: string): string {
  return process.stdout.isTTY && !process.env.NO_COLOR ? styleText(format, text) : text;
}

/** The quotes that answer a question with their origins, or that there are none. */
export function showAnswer({ text, citations, passages, isAnswered }: Answer): string {
  const label = `  ${style("bold", "answer".padEnd(10))}`;
  if (!isAnswered) return label + text;
  const quotes = citations.map(({ quote, chunkId }) => {
    const hit = passages.find(({ id }) => id === chunkId)!;
    return `${paragraph(quote, 12, "reset")}\n${" ".repeat(12)}${style("cyan", formatCitation(hit))}`;
  });
  return label + quotes.join("\n").trimStart();
}

/** The hits of one mode with their origins, and an excerpt of the first. */
export function showHits(mode: string, hits: readonly SearchHit[], question: string): string {
  const lines = hits.map((hit, index) => {
    const excerpt = excerptOf(hit, question, 2 * (WIDTH - INDENT) - 10);
    const label = index === 0 ? style("bold", mode.padEnd(10)) : " ".repeat(10);
    const line = `  ${label}${style("yellow", hit.score.toFixed(3))}  ${placeOf(hit, excerpt)}`;
    return index === 0 ? `${line}\n${paragraph(excerpt.text, INDENT)}` : line;
  });
  return lines.length === 0 ? `  ${mode.padEnd(10)}nothing found` : lines.join("\n");
}

function placeOf(hit: SearchHit, excerpt: Excerpt): string {
  const { filename } = hit.metadata ?? {};
  const [first, last] = hit.pages ?? [];
  const page = first === last ? `page ${first}` : `pages ${first}–${last}`;
  const parts = [first === undefined ? "" : page, excerpt.headings.slice(-2).join(" › ")].filter(Boolean);
  return [style("cyan", filename ?? "text"), ...parts].join(" · ");
}

/** Wraps and indents a text. */
export function paragraph(text: string, indent: number, format: Style = "dim"): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (`${lines.at(-1)} ${word}`.length > WIDTH - indent) lines.push(word);
    else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trimStart();
  }
  return lines.map((line) => " ".repeat(indent) + style(format, line)).join("\n");
}
