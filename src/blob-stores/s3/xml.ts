const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Returns the text of the first element with a name, which has no elements inside; `null` if there is none. */
export function xmlText(xml: string, name: string): string | null {
  return xmlTexts(xml, name)[0] ?? null;
}

/** Returns the texts of all elements with a name, in order. */
export function xmlTexts(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text]) =>
    text!.replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity).trim(),
  );
}
