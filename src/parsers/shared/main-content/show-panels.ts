import { attribute, descendants, type HtmlParent } from "../html/html-tree.js";

const REFERENCES = ["href", "aria-controls", "data-target", "data-bs-target"];

/** Shows the panels of tabs and accordions: what a control of the page can open is content, although it is hidden. */
export function showPanels(page: HtmlParent): void {
  const targets = new Set<string>();
  for (const element of descendants(page))
    for (const name of REFERENCES) {
      const value = attribute(element, name);
      if (value !== null && (name !== "href" || value.startsWith("#"))) targets.add(value.replace(/^#/, ""));
    }
  for (const element of descendants(page)) {
    const id = attribute(element, "id");
    const isPanel = attribute(element, "role") === "tabpanel" || (id !== null && targets.has(id));
    if (isPanel) element.attrs = element.attrs.filter(({ name }) => !/^(?:hidden|aria-hidden|style)$/.test(name));
  }
}
