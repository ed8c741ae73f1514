import type { SourceFile } from "../../../interfaces/parser.js";
import { ZipArchive } from "../archive/zip-archive.js";
import { invalidFile } from "../errors/file-errors.js";
import { childElements, type XmlElement } from "../xml/xml-tree.js";
import { createXmlReader, type XmlReader } from "./xml-reader.js";

/** What one part says of another, or of an address outside. */
export interface Relationship {
  readonly id: string;
  /** The last word of its type, which transitional and strict files share: `slide`, `image`, `hyperlink`. */
  readonly type: string;
  /** The part's name, or the address where it is external. */
  readonly target: string;
  readonly external: boolean;
}

/** An Office file as its parts and their relationships. */
export class OfficePackage {
  readonly archive: ZipArchive;
  /** The part that everything else hangs on. */
  readonly mainPart: string;
  readonly #fileName: string | null;
  readonly #read: XmlReader;
  readonly #shared = new Map<string, XmlElement>();
  readonly #relationships = new Map<string, readonly Relationship[]>();
  readonly #names = new Map<string, string>();

  private constructor(file: SourceFile, archive: ZipArchive, read: XmlReader, usualMainPart: string) {
    this.archive = archive;
    this.#fileName = file.name;
    this.#read = read;
    // Part names are compared without regard to case, and producers make use of it.
    for (const name of archive.names) this.#names.set(name.toLowerCase(), name);
    const main = this.relationships("").find((relationship) => relationship.type === "officeDocument")?.target;
    this.mainPart = main !== undefined && this.has(main) ? main : usualMainPart;
    if (!this.has(this.mainPart)) throw invalidFile(file.name, `is damaged: it has no part "${this.mainPart}".`);
  }

  /** @throws `invalid_input` for a damaged archive, `limit_exceeded` for one that inflates beyond the limits. */
  static async open(file: SourceFile, usualMainPart: string, signal: AbortSignal | undefined): Promise<OfficePackage> {
    const archive = new ZipArchive(file.name, file.bytes);
    await archive.assertWithinLimit(signal);
    return new OfficePackage(file, archive, createXmlReader(file.name), usualMainPart);
  }

  has(part: string): boolean {
    return this.#names.has(part.toLowerCase());
  }

  bytes(part: string): Uint8Array {
    return this.archive.read(this.#names.get(part.toLowerCase()) ?? part);
  }

  /** A part as XML, read anew each time. @throws `invalid_input` where it is absent, damaged or has a document type. */
  xml(part: string): XmlElement {
    return this.#read(part, this.bytes(part));
  }

  /** A part that many others refer to, kept once it is read. */
  sharedXml(part: string): XmlElement {
    const known = this.#shared.get(part);
    if (known !== undefined) return known;
    const tree = this.xml(part);
    this.#shared.set(part, tree);
    return tree;
  }

  /** An element that was cut out of a part. @throws `invalid_input` where it is damaged. */
  fragment(part: string, xml: string): XmlElement {
    return this.#read(part, xml);
  }

  /** The relationships of a part, or of the package where the name is empty; none of a part that is not there. */
  relationships(part: string): readonly Relationship[] {
    const known = this.#relationships.get(part);
    if (known !== undefined) return known;
    const relationships = this.#readRelationships(part);
    this.#relationships.set(part, relationships);
    return relationships;
  }

  /** The first part of a type that a part refers to. */
  related(part: string, type: string): string | undefined {
    return this.relatedParts(part, type)[0];
  }

  relatedParts(part: string, type: string): string[] {
    return this.relationships(part)
      .filter((relationship) => relationship.type === type && !relationship.external && this.has(relationship.target))
      .map((relationship) => relationship.target);
  }

  /** The part that a relationship's id stands for; undefined where there is none. */
  partById(part: string, id: string | undefined): string | undefined {
    const target = this.relationships(part).find((relationship) => relationship.id === id && !relationship.external);
    return target !== undefined && this.has(target.target) ? target.target : undefined;
  }

  fail(problem: string, cause?: unknown): never {
    throw invalidFile(this.#fileName, problem, cause);
  }

  #readRelationships(part: string): readonly Relationship[] {
    const folder = part.slice(0, part.lastIndexOf("/") + 1);
    const name = `${folder}_rels/${part.slice(folder.length)}.rels`;
    if (!this.has(name)) return [];
    return childElements(this.xml(name), "Relationship").map(({ attributes }) => {
      const external = attributes.TargetMode === "External";
      const target = attributes.Target ?? "";
      return {
        id: attributes.Id ?? "",
        type: attributes.Type?.split("/").at(-1) ?? "",
        target: external ? target : this.#resolve(folder, target),
        external,
      };
    });
  }

  #resolve(folder: string, target: string): string {
    const path = target.startsWith("/") ? target : `${folder}${target}`;
    const segments: string[] = [];
    for (const segment of path.split("/")) {
      if (segment === "..") segments.pop();
      else if (segment !== "" && segment !== ".") segments.push(segment);
    }
    const resolved = segments.join("/");
    return this.has(resolved) ? resolved : decoded(resolved);
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
