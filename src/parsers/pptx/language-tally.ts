import { child, descendants, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

/** Counts the characters of each language. */
export class LanguageTally {
  readonly #characterCounts = new Map<string, number>();

  add(tree: XmlElement): void {
    for (const run of descendants(tree, "r")) {
      const language = child(run, "rPr")?.attributes.lang;
      if (language)
        this.#characterCounts.set(language, (this.#characterCounts.get(language) ?? 0) + textContent(run).length);
    }
  }

  /** The language with the most characters; `null` if none is declared. */
  get dominant(): string | null {
    const counted = [...this.#characterCounts].filter(([, count]) => count > 0);
    return counted.sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
  }
}
