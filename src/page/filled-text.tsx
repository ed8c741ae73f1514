import type { VNode } from "preact";
import { PLACE } from "../http/page/strings/fill.js";

interface FilledTextProps {
  readonly text: string;
  readonly values: Readonly<Record<string, string>>;
}

/** A text with values in its places, whose directions may differ from that of the text. */
export function FilledText({ text, values }: FilledTextProps): VNode {
  return (
    <>{text.split(PLACE).map((part, index) => (index % 2 === 0 ? part : <bdi key={index}>{values[part]}</bdi>))}</>
  );
}
