import { attribute, descendants, type HtmlParent } from "../html/html-tree.js";

const REFERENCE_ATTRIBUTES = ["href", "aria-controls", "data-target", "data-bs-target"];

/** Unhides the panels of tabs and accordions: a panel that a control of the page can open is content. */
export function showPanels(page: HtmlParent): void {
  const targets = new Set<string>();
  for (const element of descendants(page))
    for (const name of REFERENCE_ATTRIBUTES) {
      const value = attribute(element, name);
      if (value !== null && (name !== "href" || value.startsWith("#"))) targets.add(value.replace(/^#/, ""));
    }
  for (const element of descendants(page)) {
    const id = attribute(element, "id");
    const isPanel = attribute(element, "role") === "tabpanel" || (id !== null && targets.has(id));
    if (isPanel) element.attrs = element.attrs.filter(({ name }) => !/^(?:hidden|aria-hidden|style)$/.test(name));
  }
}
