import { KnowledgeBaseError } from "../../../errors.js";
import type { SourceFile } from "../../../interfaces/parser.js";
import { getOrCreate } from "../../../util/get-or-create.js";
import { ZipArchive } from "../archive/zip-archive.js";
import { invalidFile } from "../errors/file-errors.js";
import { childElements, type XmlElement } from "../xml/xml-tree.js";
import { readXml } from "./read-xml.js";

/** A reference of a part to another part or to an external address. */
export interface Relationship {
  readonly id: string;
  /** The last segment of the type's URI, the same in transitional and strict files: `slide`, `image`, `hyperlink`. */
  readonly type: string;
  /** The part's name, or the external address. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** The parts of an Office file and their relationships. */
export class OfficePackage {
  readonly archive: ZipArchive;
  /** The main part, from which relationships lead to all other parts. */
  readonly mainPart: string;
  readonly #fileName: string | null;
  readonly #sharedElements = new Map<string, XmlElement>();
  readonly #relationships = new Map<string, readonly Relationship[]>();
  readonly #namesInLowerCase = new Map<string, string>();

  private constructor(file: SourceFile, archive: ZipArchive, fallbackPart: string) {
    this.archive = archive;
    this.#fileName = file.name;
    // Part names are case-insensitive, and some producers refer to parts in another case.
    for (const name of archive.names) this.#namesInLowerCase.set(name.toLowerCase(), name);
    const main = this.relationships("").find((relationship) => relationship.type === "officeDocument")?.target;
    this.mainPart = main !== undefined && this.has(main) ? main : fallbackPart;
    if (!this.has(this.mainPart)) throw invalidFile(file.name, `is damaged: it has no part "${this.mainPart}".`);
  }

  /** @throws `invalid_input` for a damaged archive, `limit_exceeded` for an archive that inflates beyond the limits. */
  static async open(file: SourceFile, fallbackPart: string, signal: AbortSignal | undefined): Promise<OfficePackage> {
    const archive = new ZipArchive(file.name, file.bytes);
    await archive.assertWithinLimit(signal);
    return new OfficePackage(file, archive, fallbackPart);
  }

  has(part: string): boolean {
    return this.#namesInLowerCase.has(part.toLowerCase());
  }

  bytes(part: string): Uint8Array {
    return this.archive.read(this.#namesInLowerCase.get(part.toLowerCase()) ?? part);
  }

  /** Parses a part anew on each call. @throws `invalid_input` if it is missing, damaged or has a DOCTYPE. */
  xml(part: string): XmlElement {
    return this.fragment(part, this.bytes(part));
  }

  /** Parses a part once and caches the result, for parts to which many other parts refer. */
  sharedXml(part: string): XmlElement {
    return getOrCreate(this.#sharedElements, part, () => this.xml(part));
  }

  /** Parses a part; returns `null` if it is damaged, so that only the part is lost and not the document. */
  xmlIfIntact(part: string): XmlElement | null {
    try {
      return this.xml(part);
    } catch (error) {
      if (KnowledgeBaseError.is(error, "invalid_input")) return null;
      throw error;
    }
  }

  /** Parses XML that belongs to a part. @throws `invalid_input` if it is damaged. */
  fragment(part: string, xml: Uint8Array | string): XmlElement {
    return readXml(this.#fileName, part, xml);
  }

  /** Returns the relationships of a part, or of the package if the name is empty; none if the part has none. */
  relationships(part: string): readonly Relationship[] {
    return getOrCreate(this.#relationships, part, () => this.#readRelationships(part));
  }

  /** Returns the first part to which a part has a relationship of a type. */
  related(part: string, type: string): string | undefined {
    return this.relatedParts(part, type)[0];
  }

  relatedParts(part: string, type: string): string[] {
    return this.relationships(part)
      .filter((relationship) => relationship.type === type && !relationship.isExternal && this.has(relationship.target))
      .map((relationship) => relationship.target);
  }

  /** Returns the part to which a relationship's id refers; `undefined` if there is none. */
  partById(part: string, id: string | undefined): string | undefined {
    const found = this.relationships(part).find((relationship) => relationship.id === id && !relationship.isExternal);
    return found !== undefined && this.has(found.target) ? found.target : undefined;
  }

  fail(problem: string, cause?: unknown): never {
    throw invalidFile(this.#fileName, problem, cause);
  }

  #readRelationships(part: string): readonly Relationship[] {
    const folder = part.slice(0, part.lastIndexOf("/") + 1);
    const name = `${folder}_rels/${part.slice(folder.length)}.rels`;
    if (!this.has(name)) return [];
    return childElements(this.xml(name), "Relationship").map(({ attributes }) => {
      const isExternal = attributes.TargetMode === "External";
      const target = attributes.Target ?? "";
      return {
        id: attributes.Id ?? "",
        type: attributes.Type?.split("/").at(-1) ?? "",
        target: isExternal ? target : this.#resolve(folder, target),
        isExternal,
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
    return this.has(resolved) ? resolved : decodePercent(resolved);
  }
}

function decodePercent(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
