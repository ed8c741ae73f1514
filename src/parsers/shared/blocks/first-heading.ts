import type { Block } from "../../../interfaces/block.js";

/** The title of a document that declares none: its first heading; `null` if there is none. */
export function firstHeading(blocks: readonly Block[]): string | null {
  return blocks.find((block) => block.kind === "heading")?.text ?? null;
}
