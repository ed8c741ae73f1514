import { styleText } from "node:util";
import type { SearchHit } from "lorebase";

type Style = Parameters<typeof styleText>[0];

const WIDTH = Math.min(process.stdout.columns ?? 100, 110);
const SNIPPET = 2 * WIDTH - 30;

/** Styles a text where somebody sees it. */
export function style(format: Style, text: string): string {
  return process.stdout.isTTY && !process.env.NO_COLOR ? styleText(format, text) : text;
}

/** The hits of one mode: where each stands, and what the first of them says. */
export function showHits(mode: string, hits: readonly SearchHit[], question: string): string {
  const lines = hits.map((hit, index) => {
    const label = index === 0 ? style("bold", mode.padEnd(10)) : " ".repeat(10);
    const line = `  ${label}${style("yellow", hit.score.toFixed(3))}  ${placeOf(hit)}`;
    return index === 0 ? `${line}\n${paragraph(excerpt(hit.text ?? "", question), 19)}` : line;
  });
  return lines.length === 0 ? `  ${mode.padEnd(10)}nothing found` : lines.join("\n");
}

function placeOf(hit: SearchHit): string {
  const { filename, page_number: page, headings } = hit.metadata ?? {};
  const path = Array.isArray(headings) ? headings.join(" › ") : "";
  return [style("cyan", String(filename)), page === undefined ? "" : `page ${page}`, path].filter(Boolean).join(" · ");
}

/** The sentences of a passage that share most words with the question. */
function excerpt(text: string, question: string): string {
  const wanted = wordsOf(question);
  const sentences = text
    .replace(/[\s|]+/g, " ")
    .split(/(?<=[.!?:]) /)
    .filter((sentence) => sentence !== "");
  const scores = sentences.map((sentence) => [...wordsOf(sentence)].filter((word) => wanted.has(word)).length);
  const best = scores.indexOf(Math.max(...scores));
  let found = sentences[best] ?? "";
  for (let next = best + 1; next < sentences.length && found.length + sentences[next]!.length < SNIPPET; next++)
    found += ` ${sentences[next]}`;
  return found.length <= SNIPPET ? found : `${found.slice(0, found.lastIndexOf(" ", SNIPPET))} …`;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/\p{L}{4,}|\d+/gu));
}

function paragraph(text: string, indent: number): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (`${lines.at(-1)} ${word}`.length > WIDTH - indent) lines.push(word);
    else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trimStart();
  }
  return lines.map((line) => " ".repeat(indent) + style("dim", line)).join("\n");
}
