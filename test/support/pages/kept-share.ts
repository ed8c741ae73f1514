import type { Page } from "./page.js";

/** Which sentences of a page are in what was made of it. */
export function keptOf(page: Page, markdown: string): { lost: string[]; left: string[] } {
  const said = plain(markdown);
  return {
    lost: page.article.filter((sentence) => !said.includes(plain(sentence))),
    left: page.navigation.filter((sentence) => said.includes(plain(sentence))),
  };
}

/** Text without the marks of Markdown, spaces and entities. */
export function plain(text: string): string {
  return text
    .replace(/\]\([^()\s]*\)/g, "")
    .replaceAll("&amp;", "&")
    .replace(/[\\[\]`*_|#>\s]+/g, "")
    .normalize("NFKC");
}
