import { child, descendants, textOf, type XmlElement } from "../ooxml/xml-tree.js";

/** The language that most characters of some texts are marked as; null where none is marked. */
export function declaredLanguage(trees: Iterable<XmlElement>): string | null {
  const characters = new Map<string, number>();
  for (const tree of trees) {
    for (const run of descendants(tree, "r")) {
      const language = child(run, "rPr")?.attributes.lang;
      if (language) characters.set(language, (characters.get(language) ?? 0) + textOf(run).length);
    }
  }
  let most: string | null = null;
  for (const [language, count] of characters) if (count > (characters.get(most ?? "") ?? 0)) most = language;
  return most;
}
