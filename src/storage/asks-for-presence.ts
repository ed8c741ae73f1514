import type { FilterNode } from "../filter.js";

/** Whether every condition of a filter requires a value to be present, so that an index lists all matching chunks. */
export function asksForPresence(node: FilterNode): boolean {
  return node.op === "and"
    ? node.nodes.length > 0 && node.nodes.every(asksForPresence)
    : node.op !== "or" && node.op !== "not";
}
