import { endsWithFence } from "../util/code-fence.js";
import type { Answer } from "./answer.js";

/**
 * Formats an answer with a marker after each cited range, such as ` [1]`. Markers at the same place are distinct and in
 * the order of the citations. After a code block, markers form a paragraph of their own.
 *
 * @param formatMarker Formats the marker of a number. @default `[1]`
 */
export function formatAnswer(
  { text, citations }: Pick<Answer, "text" | "citations">,
  formatMarker: (number: number) => string = (number) => `[${number}]`,
): string {
  const numbersByEnd = new Map<number, Set<number>>();
  for (const { number, answerRange } of citations)
    numbersByEnd.set(answerRange.end, (numbersByEnd.get(answerRange.end) ?? new Set()).add(number));
  let formatted = "";
  let start = 0;
  for (const [end, numbers] of [...numbersByEnd].sort(([a], [b]) => a - b)) {
    const separator = endsWithFence(text.slice(text.lastIndexOf("\n", end - 1) + 1, end)) ? "\n\n" : " ";
    formatted += text.slice(start, end) + separator + [...numbers].map((number) => formatMarker(number)).join(" ");
    start = end;
  }
  return formatted + text.slice(start);
}
