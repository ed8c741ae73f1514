import { getOrCreate } from "../../util/get-or-create.js";
import { child, childElements, type XmlElement } from "../shared/xml/xml-tree.js";
import { type LevelFormat, levelFormats } from "./list-format.js";

/** The role of a paragraph according to its style. */
export type ParagraphRole = "heading" | "code" | "caption" | "text";

interface Style {
  readonly parent: string | undefined;
  readonly element: XmlElement;
}

/** Names of caption styles in Writer. */
const CAPTIONS = /^(?:caption|illustration|table|figure|drawing|listing|image caption|table caption)$/i;
const CODE = /^(?:preformatted text|source code|html preformatted|code|verbatim)$/i;
const HEADING = /^heading (\d+)$/i;
/** Limits the inheritance chain of a style, which may be circular. */
const MAX_ANCESTORS = 50;

/** The styles of a document, by family and name. */
export class OdfStyles {
  readonly #styles = new Map<string, Style>();
  readonly #lists = new Map<string, readonly LevelFormat[]>();
  readonly #roles = new Map<string, { role: ParagraphRole; level: number }>();
  /** Numbering of headings, by level; empty if they have none. */
  readonly outline: readonly LevelFormat[];

  /** @param parents Elements that contain styles; a later definition replaces an earlier one. */
  constructor(parents: readonly (XmlElement | undefined)[]) {
    let outline: readonly LevelFormat[] = [];
    for (const element of parents.flatMap((parent) => childElements(parent))) {
      const name = element.attributes["style:name"] ?? "";
      if (element.name === "style:style")
        this.#styles.set(`${element.attributes["style:family"]} ${name}`, {
          parent: element.attributes["style:parent-style-name"],
          element,
        });
      else if (element.name === "text:list-style") this.#lists.set(name, levelFormats(element));
      else if (element.name === "text:outline-style") outline = levelFormats(element);
    }
    this.outline = outline;
  }

  /** The formats of a list style's levels; empty for an undefined style. */
  list(name: string | undefined): readonly LevelFormat[] {
    return (name !== undefined && this.#lists.get(name)) || [];
  }

  /** The role of a paragraph by its style or an ancestor of it; `level` is that of a heading. */
  paragraph(name: string | undefined): { readonly role: ParagraphRole; readonly level: number } {
    if (name === undefined) return { role: "text", level: 0 };
    return getOrCreate(this.#roles, name, () => this.#roleOf(name));
  }

  /** The list style of a paragraph style; "" removes its paragraphs from any list, `undefined` leaves them as is. */
  listOfParagraph(name: string | undefined): string | undefined {
    const styles = this.#chain("paragraph", name).map(({ element }) => element.attributes["style:list-style-name"]);
    return styles.find((list) => list !== undefined);
  }

  /** Whether a text style hides its text. */
  hidesText(name: string | undefined): boolean {
    return this.#property("text", name, "style:text-properties", "text:display") === "none";
  }

  /** Whether a paragraph or table of a style has a page break before or after it. */
  breaksPage(family: "paragraph" | "table", name: string | undefined, side: "before" | "after"): boolean {
    if (name === undefined) return false;
    const masterPage = this.#styles.get(`${family} ${name}`)?.element.attributes["style:master-page-name"];
    if (side === "before" && masterPage !== undefined && masterPage !== "") return true;
    return this.#property(family, name, `style:${family}-properties`, `fo:break-${side}`) === "page";
  }

  #property(family: string, name: string | undefined, properties: string, attribute: string): string | undefined {
    const values = this.#chain(family, name).map(({ element }) => child(element, properties)?.attributes[attribute]);
    return values.find((value) => value !== undefined);
  }

  #roleOf(name: string): { role: ParagraphRole; level: number } {
    for (const candidate of this.#styleNames(name)) {
      const heading = HEADING.exec(candidate);
      if (heading !== null) return { role: "heading", level: Number(heading[1]) };
      if (/^title$/i.test(candidate)) return { role: "heading", level: 1 };
      if (CODE.test(candidate)) return { role: "code", level: 0 };
      if (CAPTIONS.test(candidate)) return { role: "caption", level: 0 };
    }
    for (const { element } of this.#chain("paragraph", name)) {
      const level = Number(element.attributes["style:default-outline-level"]);
      if (level >= 1) return { role: "heading", level };
    }
    return { role: "text", level: 0 };
  }

  /** A style's display name and those of its ancestors: `Heading_20_1` is "Heading 1". */
  #styleNames(name: string): string[] {
    const names = [name, ...this.#chain("paragraph", name).flatMap(({ parent }) => parent ?? [])];
    return names.map((encoded) =>
      encoded.replace(/_([\da-f]{2})_/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    );
  }

  #chain(family: string, name: string | undefined): Style[] {
    const chain: Style[] = [];
    for (let next = name; next !== undefined && chain.length < MAX_ANCESTORS; ) {
      const style = this.#styles.get(`${family} ${next}`);
      if (style === undefined) break;
      chain.push(style);
      next = style.parent;
    }
    return chain;
  }
}
