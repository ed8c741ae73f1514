import { getOrCreate } from "../../util/get-or-create.js";
import { child, childElements, type XmlElement } from "../shared/xml/xml-tree.js";
import { type LevelFormat, levelFormats } from "./list-format.js";
import { NumberStyles } from "./number-styles.js";

/** The role of a paragraph according to its style. */
export type ParagraphRole = "heading" | "code" | "caption" | "text";

interface Style {
  readonly parent: string | undefined;
  readonly element: XmlElement;
}

/** Matches the names of caption styles in LibreOffice Writer. */
const CAPTION_STYLE_PATTERN = /^(?:caption|illustration|table|figure|drawing|listing|image caption|table caption)$/i;
const CODE_STYLE_PATTERN = /^(?:preformatted text|source code|html preformatted|code|verbatim)$/i;
const HEADING_STYLE_PATTERN = /^heading (\d+)$/i;
/** Limits the inheritance chain of a style, which can be circular. */
const MAX_ANCESTORS = 50;

/** The styles of a document, by family and name. */
export class OdfStyles {
  readonly #styles = new Map<string, Style>();
  readonly #lists = new Map<string, readonly LevelFormat[]>();
  readonly #roles = new Map<string, { role: ParagraphRole; level: number }>();
  /** The marker formats of headings, by level; empty if headings have no numbers. */
  readonly outline: readonly LevelFormat[];
  readonly numbers: NumberStyles;

  /** @param parents Elements that contain styles. A later definition replaces an earlier one. */
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
    this.numbers = new NumberStyles(parents);
  }

  /** Returns the formats of the levels of a list style, or an empty array for an undefined style. */
  listFormats(name: string | undefined): readonly LevelFormat[] {
    return (name !== undefined && this.#lists.get(name)) || [];
  }

  /**
   * Returns the role of a paragraph according to its style or an ancestor of the style. `level` is the level of a
   * heading; 0 for other roles.
   */
  paragraphRole(name: string | undefined): { readonly role: ParagraphRole; readonly level: number } {
    if (name === undefined) return { role: "text", level: 0 };
    return getOrCreate(this.#roles, name, () => this.#roleOf(name));
  }

  /**
   * Returns the list style of a paragraph style. An empty string removes a paragraph from any list; `undefined` leaves
   * it in its list.
   */
  listStyleOf(name: string | undefined): string | undefined {
    const styles = this.#chain("paragraph", name).map(({ element }) => element.attributes["style:list-style-name"]);
    return styles.find((list) => list !== undefined);
  }

  /** Returns the name of the number format of a cell style; `undefined` if it has none. */
  dataStyleOf(name: string | undefined): string | undefined {
    const names = this.#chain("table-cell", name).map(({ element }) => element.attributes["style:data-style-name"]);
    return names.find((style) => style !== undefined);
  }

  /** Returns whether a text style hides its text. */
  hidesText(name: string | undefined): boolean {
    return this.#property("text", name, "style:text-properties", "text:display") === "none";
  }

  /** Returns whether a style puts a page break before or after its paragraphs or tables. */
  hasPageBreak(family: "paragraph" | "table", name: string | undefined, side: "before" | "after"): boolean {
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
    for (const candidate of this.#displayNames(name)) {
      const heading = HEADING_STYLE_PATTERN.exec(candidate);
      if (heading !== null) return { role: "heading", level: Number(heading[1]) };
      if (/^title$/i.test(candidate)) return { role: "heading", level: 1 };
      if (CODE_STYLE_PATTERN.test(candidate)) return { role: "code", level: 0 };
      if (CAPTION_STYLE_PATTERN.test(candidate)) return { role: "caption", level: 0 };
    }
    for (const { element } of this.#chain("paragraph", name)) {
      const level = Number(element.attributes["style:default-outline-level"]);
      if (level >= 1) return { role: "heading", level };
    }
    return { role: "text", level: 0 };
  }

  /** Returns the display names of a style and its ancestors: `Heading_20_1` becomes `Heading 1`. */
  #displayNames(name: string): string[] {
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
