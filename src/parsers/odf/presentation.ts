import type { BlockList } from "../shared/blocks/block-list.js";
import { child, childElements, textContent, type XmlElement } from "../shared/xml/xml-tree.js";
import { TextWalk, type WalkContext } from "./text-walk.js";

/** Elements of a slide that are not part of its content. */
const SKIPPED_ELEMENTS = new Set(["office:forms", "presentation:notes", "anim:par", "draw:layer-set"]);

/**
 * Adds each slide of a presentation or page of a drawing as a page. Headers and footers, and what master pages show
 * besides, are added on the first page that shows them. Returns the number of pages.
 */
export function addSlides(
  list: BlockList,
  body: XmlElement,
  context: WalkContext,
  masters: readonly XmlElement[],
): number {
  const slides = childElements(body, "draw:page");
  const walk = new TextWalk(list, context);
  const mastersByName = new Map(masters.map((master) => [master.attributes["style:name"], master]));
  const declarations = new Map(
    childElements(body).map((part) => [`${part.name} ${part.attributes["presentation:name"]}`, part]),
  );
  const shownTexts = new Set<string>();
  // Masters and declarations are read once, however many slides use them.
  const readParts = new Set<XmlElement>();
  const isFirstUse = (part: XmlElement | undefined): part is XmlElement => {
    if (part === undefined || readParts.has(part)) return false;
    readParts.add(part);
    return true;
  };
  const addOnce = (kind: "page_header" | "page_footer", text: string): void => {
    if (shownTexts.has(`${kind} ${text}`) || !/\p{L}/u.test(text)) return;
    shownTexts.add(`${kind} ${text}`);
    walk.add(kind, text);
  };
  const addDeclared = (slide: XmlElement, place: "header" | "footer"): void => {
    const name = slide.attributes[`presentation:use-${place}-name`];
    const declaration = declarations.get(`presentation:${place}-decl ${name}`);
    if (isFirstUse(declaration)) addOnce(`page_${place}`, textContent(declaration).trim());
  };
  for (const [index, slide] of slides.entries()) {
    context.page = index + 1;
    addDeclared(slide, "header");
    const parts = childElements(slide).filter((part) => !SKIPPED_ELEMENTS.has(part.name) && !isPlaceholder(part));
    const title = parts.find((part) => part.attributes["presentation:class"] === "title");
    if (title !== undefined) list.heading(1, walk.multilineText(title.children), walk.pageDetail());
    for (const part of parts) if (part !== title) walk.addElement(part);
    for (const frame of childElements(child(slide, "presentation:notes"))) {
      if (frame.attributes["presentation:class"] === "notes" && !isPlaceholder(frame))
        walk.add("note", walk.multilineText(frame.children));
    }
    addDeclared(slide, "footer");
    const master = mastersByName.get(slide.attributes["draw:master-page-name"]);
    if (!isFirstUse(master)) continue;
    for (const part of childElements(master)) {
      // Shapes with a class are placeholders, whose text is only a prompt.
      const isShown = part.name.startsWith("draw:") && part.attributes["presentation:class"] === undefined;
      if (isShown) addOnce("page_footer", walk.multilineText([part]));
    }
  }
  return slides.length;
}

/** Returns whether a frame contains only the prompt of an empty placeholder. */
function isPlaceholder(element: XmlElement): boolean {
  return element.attributes["presentation:placeholder"] === "true";
}
