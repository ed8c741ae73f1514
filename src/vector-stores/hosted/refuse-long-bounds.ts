import { KnowledgeBaseError } from "../../errors.js";
import type { FilterNode } from "../../filter.js";

/**
 * Refuses a filter that compares the order of strings with one that is longer than what a store keeps of them.
 *
 * @param longest Bytes of UTF-8.
 * @throws KnowledgeBaseError `unsupported` that names the operator, its operand and the store
 */
export function refuseLongBounds(node: FilterNode, vendor: string, longest: number): void {
  if (node.op === "and" || node.op === "or") for (const child of node.nodes) refuseLongBounds(child, vendor, longest);
  if (node.op === "not") refuseLongBounds(node.node, vendor, longest);
  if (node.op !== "range" || typeof node.value !== "string") return;
  const bytes = Buffer.byteLength(node.value);
  if (bytes <= longest) return;
  const shown = JSON.stringify(node.value.length > 40 ? `${node.value.slice(0, 40)}…` : node.value);
  throw new KnowledgeBaseError(
    "unsupported",
    `filter.${node.key}.$${node.comparison}: ${vendor} compares the order of strings with up to ${longest} bytes, and ${shown} has ${bytes}`,
  );
}
