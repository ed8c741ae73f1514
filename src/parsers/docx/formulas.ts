import { escapeXml, xmlText } from "../xml-text.js";

/** Writes the formulas of a WordprocessingML part into its text, as in `(a+b)/(2)`; converters drop them otherwise. */
export function formulasAsText(xml: string): string {
  if (!xml.includes("<m:oMath")) return xml;
  const bare = xml.replace(/<m:oMathParaPr(?:\s[^>]*)?>[\s\S]*?<\/m:oMathParaPr>|<\/?m:oMathPara(?:\s[^>]*)?>/g, "");
  return bare.replace(/<m:oMath(?:\s[^>]*)?>([\s\S]*?)<\/m:oMath>/g, (_, inner: string) => {
    return `<w:r><w:t xml:space="preserve">${escapeXml(linear(inner))}</w:t></w:r>`;
  });
}

/** What is written before and after an element's content. */
const WRAPS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  "m:num": ["(", ")"],
  "m:den": ["/(", ")"],
  "m:sub": ["_(", ")"],
  "m:sup": ["^(", ")"],
  "m:rad": ["√(", ")"],
  "m:d": ["(", ")"],
};

/** A formula on one line: brackets make plain what the layout showed. */
function linear(xml: string): string {
  let text = "";
  for (const [, close, name = "", attributes = "", content = ""] of xml.matchAll(/<(\/?)([\w:]+)([^>]*)>([^<]*)/g)) {
    const wrap = WRAPS[name];
    if (wrap !== undefined && !attributes.endsWith("/")) text += wrap[close === "/" ? 1 : 0];
    else if (name === "m:chr" && close === "") text += xmlText(/m:val="([^"]*)"/.exec(attributes)?.[1] ?? "");
    if (name === "m:t" && close === "") text += xmlText(content);
  }
  return text
    .replace(/[_^]\(\)/g, "")
    .replace(/([_^])\((.)\)/gu, "$1$2")
    .trim();
}
