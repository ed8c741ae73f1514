/** The extension of a file's name, in lower case without the dot; `null` if it has none. */
export function extensionOf(name: string | null): string | null {
  return /\.([^./\\]+)$/.exec(name ?? "")?.[1]?.toLowerCase() ?? null;
}

/** A media type in lower case without its parameters; `null` if it is empty. */
export function mediaTypeOf(mimeType: string | null): string | null {
  return mimeType?.split(";")[0]?.trim().toLowerCase() || null;
}
