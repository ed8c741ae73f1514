import type { FilterNode } from "../filter.js";

/**
 * Whether a filter asks for what chunks have, so that an index knows them all: not for what they lack, nor for one
 * thing or another.
 */
export function asksForPresence(node: FilterNode): boolean {
  return node.op === "and"
    ? node.nodes.length > 0 && node.nodes.every(asksForPresence)
    : node.op !== "or" && node.op !== "not";
}
