import type { Metadata, SearchHit } from "../../index.js";
import type { WirePassage } from "./ui-message-chunk.js";

/** What a receiver sees of a passage besides its text. */
export interface PassageView {
  /** The path of a title in the metadata, with dots between keys; `null` for the default titles. */
  readonly titlePath: string | null;
  /** The keys of the metadata that the receiver may see; `null` for all. */
  readonly metadataKeys: readonly string[] | null;
  /** Returns the media type of a document. */
  readonly mediaTypeOf: (documentId: string) => Promise<string>;
}

const MAX_TITLE_LENGTH = 256;

/** Converts a search hit to a passage that shows what the view allows. */
export async function toWirePassage(hit: SearchHit, view: PassageView): Promise<WirePassage> {
  const { titlePath, metadataKeys, mediaTypeOf } = view;
  const metadata: Metadata = hit.metadata ?? {};
  const documentId = documentIdOf(hit.id);
  const page = hit.pages?.[0];
  return {
    chunkId: hit.id,
    documentId,
    title: titleOf(metadata, titlePath),
    mediaType: await mediaTypeOf(documentId),
    headings: headingsOf(metadata),
    ...(page === undefined ? {} : { page }),
    text: hit.text,
    range: hit.range ?? { start: 0, end: 0 },
    highlights: (hit.highlights ?? []).map(({ start, end }) => ({ start, end })),
    metadata: metadataKeys ? pick(metadata, metadataKeys) : metadata,
  };
}

/** Returns the id of a chunk's document, which the chunk's public id contains. */
function documentIdOf(chunkId: string): string {
  return chunkId.slice(0, chunkId.lastIndexOf("#"));
}

/** Returns the title of a passage: the value at the path, else the file's name, else the video's title, else the URL. */
export function titleOf(metadata: Metadata, titlePath: string | null): string {
  const { filename, youtube_title, url } = metadata;
  const candidates = [titlePath === null ? undefined : valueAt(metadata, titlePath), filename, youtube_title, url];
  return candidates.map(toTitle).find((title) => title !== "") ?? "Untitled document";
}

function toTitle(value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return text.length > MAX_TITLE_LENGTH ? `${text.slice(0, MAX_TITLE_LENGTH - 1)}…` : text;
}

/** Returns the value at a path. A key that equals the whole path takes precedence, as in filters. */
function valueAt(metadata: Metadata, path: string): unknown {
  if (Object.hasOwn(metadata, path)) return metadata[path];
  return path.split(".").reduce<unknown>((value, key) => {
    const isObject = typeof value === "object" && value !== null;
    return isObject && Object.hasOwn(value, key) ? (value as Metadata)[key] : undefined;
  }, metadata);
}

function headingsOf({ headings }: Metadata): readonly string[] {
  return Array.isArray(headings) ? headings.filter((heading) => typeof heading === "string") : [];
}

function pick(metadata: Metadata, keys: readonly string[]): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => keys.includes(key)));
}
