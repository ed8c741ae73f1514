import { child, descendants, textContent, type XmlElement } from "../shared/xml/xml-tree.js";

/** Counts characters by language. */
export class LanguageTally {
  readonly #characters = new Map<string, number>();

  add(tree: XmlElement): void {
    for (const run of descendants(tree, "r")) {
      const language = child(run, "rPr")?.attributes.lang;
      if (language) this.#characters.set(language, (this.#characters.get(language) ?? 0) + textContent(run).length);
    }
  }

  /** The language of most characters; `null` if none is declared. */
  get most(): string | null {
    let most: string | null = null;
    let characters = 0;
    for (const [language, count] of this.#characters) {
      if (count > characters) most = language;
      characters = Math.max(characters, count);
    }
    return most;
  }
}
