import { strToU8, zipSync } from "fflate";

type Parts = Readonly<Record<string, string | Uint8Array>>;

/** A zip of text and byte parts. */
export function makeZip(parts: Parts): Uint8Array {
  const entries = Object.entries(parts).map(([name, part]) => [name, typeof part === "string" ? strToU8(part) : part]);
  return zipSync(Object.fromEntries(entries));
}

const ODF_PREFIXES = ["office", "style", "text", "table", "draw", "presentation", "meta"].map(
  (prefix) => `xmlns:${prefix}="urn:oasis:names:tc:opendocument:xmlns:${prefix}:1.0"`,
);
const ODF_NAMESPACES = [
  ...ODF_PREFIXES,
  'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"',
  'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
  'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  'xmlns:xlink="http://www.w3.org/1999/xlink"',
].join(" ");

export interface OdfSettings {
  /** Automatic styles of the content. */
  readonly automatic?: string;
  /** Common styles. */
  readonly styles?: string;
  readonly masters?: string;
  readonly meta?: string;
  readonly parts?: Parts;
}

/** An OpenDocument file of a kind, with the given content. */
export function makeOdf(
  kind: "text" | "spreadsheet" | "presentation",
  content: string,
  settings: OdfSettings = {},
): Uint8Array {
  const { automatic = "", styles = "", masters = "", meta = "", parts = {} } = settings;
  return makeZip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": `<?xml version="1.0"?><office:document-content ${ODF_NAMESPACES}><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:${kind}>${content}</office:${kind}></office:body></office:document-content>`,
    "styles.xml": `<office:document-styles ${ODF_NAMESPACES}><office:styles>${styles}</office:styles><office:master-styles>${masters}</office:master-styles></office:document-styles>`,
    "meta.xml": `<office:document-meta ${ODF_NAMESPACES}><office:meta>${meta}</office:meta></office:document-meta>`,
    ...parts,
  });
}

export interface EpubSettings {
  /** Elements of the package's metadata. */
  readonly metadata?: string;
  /** Attributes of spine references, by part. */
  readonly reference?: Readonly<Record<string, string>>;
  /** Properties of parts, as in `nav`. */
  readonly properties?: Readonly<Record<string, string>>;
  readonly parts?: Parts;
}

/** An EPUB book whose documents stand in the spine in the given order. */
export function makeEpub(documents: Readonly<Record<string, string>>, settings: EpubSettings = {}): Uint8Array {
  const names = Object.keys(documents);
  const items = names.map(
    (name, i) =>
      `<item id="i${i}" href="${encodeURI(name)}" media-type="application/xhtml+xml" properties="${settings.properties?.[name] ?? ""}"/>`,
  );
  const spine = names.map((name, i) => `<itemref idref="i${i}" ${settings.reference?.[name] ?? ""}/>`);
  const parts = names.map((name) => [
    `OEBPS/${name}`,
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head><body>${documents[name]}</body></html>`,
  ]);
  return makeZip({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    "OEBPS/book.opf": `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>${settings.metadata ?? ""}</metadata><manifest>${items.join("")}</manifest><spine>${spine.join("")}</spine></package>`,
    ...Object.fromEntries(parts),
    ...settings.parts,
  });
}
