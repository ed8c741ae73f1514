import type { BlockList } from "../shared/blocks/block-list.js";
import { child, childElements, type XmlElement } from "../shared/xml/xml-tree.js";
import { TextWalk, type WalkContext } from "./text-walk.js";

/** Elements of a slide that are not part of its content. */
const SKIPPED_ELEMENTS = new Set(["office:forms", "presentation:notes", "anim:par", "draw:layer-set"]);

/** Adds each slide of a presentation or page of a drawing as a page. Returns the number of pages. */
export function addSlides(list: BlockList, body: XmlElement, context: WalkContext): number {
  const slides = childElements(body, "draw:page");
  const walk = new TextWalk(list, context);
  for (const [index, slide] of slides.entries()) {
    context.page = index + 1;
    const parts = childElements(slide).filter((part) => !SKIPPED_ELEMENTS.has(part.name) && !isPlaceholder(part));
    const title = parts.find((part) => part.attributes["presentation:class"] === "title");
    if (title !== undefined) list.heading(1, walk.multilineText(title.children), walk.pageDetail());
    for (const part of parts) if (part !== title) walk.addElement(part);
    for (const frame of childElements(child(slide, "presentation:notes"))) {
      if (frame.attributes["presentation:class"] === "notes" && !isPlaceholder(frame))
        walk.add("note", walk.multilineText(frame.children));
    }
  }
  return slides.length;
}

/** Returns whether a frame contains only the prompt of an empty placeholder. */
function isPlaceholder(element: XmlElement): boolean {
  return element.attributes["presentation:placeholder"] === "true";
}
