import type { Block } from "../../../interfaces/block.js";

/** Returns the first heading as the title of a document that declares none; `null` if there is no heading. */
export function firstHeading(blocks: readonly Block[]): string | null {
  return blocks.find((block) => block.kind === "heading")?.text ?? null;
}
