/** A page in the style of a kind of site: what its text is, what leads about the site, and the markup around both. */
export interface Page {
  readonly name: string;
  /** Sentences, headings, items and cells of what the page is there for. */
  readonly article: readonly string[];
  /** Texts of menus, banners, bars, teasers, forms and footers. */
  readonly navigation: readonly string[];
  readonly html: string;
}

/**
 * Fills markup with sentences: each `{a}` stands for the next one of the article, each `{n}` for the next one of the
 * navigation. `{a:link}` has a link in its middle, `{a:b}` bold words.
 */
export function page(
  name: string,
  { article, navigation, markup }: { article: string; navigation: string; markup: string },
): Page {
  const sentences = { a: linesOf(article), n: linesOf(navigation) };
  const next = { a: 0, n: 0 };
  const html = markup.trim().replace(/\{([an])(?::(link|b))?\}/g, (_, kind: "a" | "n", mark?: "link" | "b") => {
    const sentence = sentences[kind][next[kind]++];
    if (sentence === undefined) throw new Error(`"${name}" has more {${kind}} than sentences.`);
    return mark === undefined ? sentence : marked(sentence, mark);
  });
  for (const kind of ["a", "n"] as const)
    if (next[kind] !== sentences[kind].length)
      throw new Error(`"${name}" uses ${next[kind]} of ${sentences[kind].length} sentences of {${kind}}.`);
  return { name, article: sentences.a, navigation: sentences.n, html };
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function marked(sentence: string, mark: "link" | "b"): string {
  const words = sentence.split(/(?<= )/);
  const pieces = words.length > 3 ? words : [...sentence];
  const [from, to] = [Math.floor(pieces.length / 3), Math.ceil((pieces.length * 2) / 3)];
  const inner = pieces.slice(from, to).join("");
  const [open, close] = mark === "link" ? ['<a href="/reference/a-page">', "</a>"] : ["<b>", "</b>"];
  return `${pieces.slice(0, from).join("")}${open}${inner}${close}${pieces.slice(to).join("")}`;
}
