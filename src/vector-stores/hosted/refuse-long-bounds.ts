import { KnowledgeBaseError } from "../../errors.js";
import type { FilterNode } from "../../filter.js";

/**
 * Refuses a filter with a string bound longer than the prefix that a store keeps for comparisons.
 *
 * @param maxBytes Maximum UTF-8 bytes of a bound.
 * @throws KnowledgeBaseError `unsupported` that names the operator, its operand and the store
 */
export function refuseLongBounds(node: FilterNode, vendor: string, maxBytes: number): void {
  if (node.op === "and" || node.op === "or") for (const child of node.nodes) refuseLongBounds(child, vendor, maxBytes);
  if (node.op === "not") refuseLongBounds(node.node, vendor, maxBytes);
  if (node.op !== "range" || typeof node.value !== "string") return;
  const bytes = Buffer.byteLength(node.value);
  if (bytes <= maxBytes) return;
  const preview = JSON.stringify(node.value.length > 40 ? `${node.value.slice(0, 40)}…` : node.value);
  throw new KnowledgeBaseError(
    "unsupported",
    `filter.${node.key}.$${node.comparison}: ` +
      `${vendor} compares strings of up to ${maxBytes} bytes; ${preview} has ${bytes} bytes`,
  );
}
