import { groupBy } from "../../../util/group-by.js";
import { child, childElements, type XmlElement } from "../xml/xml-tree.js";
import { drawingText } from "./drawing-text.js";

/** A text in a diagram. */
export interface DiagramNode {
  readonly text: string;
  /** Depth in the diagram's outline, from 1. */
  readonly level: number;
}

/** Returns the texts of a SmartArt diagram, in the order and at the depth of its outline. */
export function diagramNodes(model: XmlElement): DiagramNode[] {
  const points = new Map(childElements(child(model, "ptLst"), "pt").map((pt) => [pt.attributes.modelId ?? "", pt]));
  const children = childrenByPoint(model);
  const nodes: DiagramNode[] = [];
  const seen = new Set<string>();
  const visit = (id: string, level: number): void => {
    if (seen.has(id)) return;
    seen.add(id);
    const point = points.get(id);
    const text = isNode(point) ? drawingText(child(point, "t"), []) : "";
    if (text !== "") nodes.push({ text, level });
    for (const next of children.get(id) ?? []) visit(next, isNode(point) ? level + 1 : level);
  };
  for (const [id, point] of points) if (point.attributes.type === "doc") visit(id, 1);
  // If the outline is damaged, the texts are still read.
  for (const [id, point] of points) if (isNode(point)) visit(id, 1);
  return nodes;
}

function isNode(point: XmlElement | undefined): boolean {
  return point !== undefined && /^(?:node|asst)?$/.test(point.attributes.type ?? "");
}

/** Returns the children of each point, in order. */
function childrenByPoint(model: XmlElement): ReadonlyMap<string, readonly string[]> {
  const connections = childElements(child(model, "cxnLst"), "cxn").filter(
    ({ attributes }) => (attributes.type ?? "parOf") === "parOf",
  );
  connections.sort((a, b) => Number(a.attributes.srcOrd ?? 0) - Number(b.attributes.srcOrd ?? 0));
  const children = groupBy(connections, ({ attributes }) => attributes.srcId ?? "");
  return new Map([...children].map(([id, found]) => [id, found.map(({ attributes }) => attributes.destId ?? "")]));
}
