const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** The text of the first element with a name, in XML without nested elements of that name; `null` if there is none. */
export function xmlText(xml: string, name: string): string | null {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  return text?.replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity).trim() ?? null;
}
