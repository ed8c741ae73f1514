import type { Page } from "playwright-core";
import { languageOf } from "#dist/http/page/strings/page-language.js";

export type PageTexts = Awaited<ReturnType<typeof languageOf>>["strings"];
type Forms = PageTexts["client"]["reading"];

export async function textsIn(language: string): Promise<PageTexts> {
  const headers = { "accept-language": language };
  return (await languageOf(new Request("http://localhost/", { headers }))).strings;
}

/** Matches a text, or any of its plural forms, with whatever is in its places. */
export function matching(text: string | Forms): RegExp {
  const forms = typeof text === "string" ? [text] : Object.values(text);
  const patterns = forms.map((form) =>
    form
      .split(/\{\w+\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".+"),
  );
  return new RegExp(`^(?:${patterns.join("|")})$`);
}

/** The English texts of the page that a page in another language shows or has in the names of its elements. */
export async function englishIn(page: Page, texts: PageTexts): Promise<readonly string[]> {
  const shown = (await page.evaluate(`[...document.querySelectorAll("body *")].flatMap((element) => [
    ...["aria-label", "title", "placeholder"].map((name) => element.getAttribute(name) ?? ""),
    ...[...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data.trim()),
  ])`)) as string[];
  const english = flatten(await textsIn("en"));
  const own = flatten(texts);
  const foreign = english.filter((text) => !own.includes(text)).flatMap((text) => [text, ...piecesOf(text)]);
  const patterns = foreign.map(matching);
  return shown.filter((text) => text !== "" && patterns.some((pattern) => pattern.test(text)));
}

/** The words around the places of a text, which are nodes of their own where values are elements. */
function piecesOf(text: string): readonly string[] {
  const pieces = text.split(/\{\w+\}/).map((piece) => piece.trim());
  return pieces.filter((piece) => piece !== text && /\p{L}{3}/u.test(piece));
}

function flatten(texts: object): string[] {
  return Object.values(texts).flatMap((value) => (typeof value === "string" ? [value] : flatten(value)));
}
