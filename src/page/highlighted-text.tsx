import type { VNode } from "preact";
import type { RangedText } from "../http/ranged-text.js";

export function HighlightedText({ text, ranges }: RangedText): VNode {
  const parts = ranges.map(({ start, end }, index) => (
    <>
      {text.slice(ranges[index - 1]?.end ?? 0, start)}
      <mark>{text.slice(start, end)}</mark>
    </>
  ));
  return (
    <>
      {parts}
      {text.slice(ranges.at(-1)?.end ?? 0)}
    </>
  );
}
