/** Returns the extension of a file's name, in lower case without the dot, or `null` if it has none. */
export function extensionOf(name: string | null): string | null {
  return /\.([^./\\]+)$/.exec(name ?? "")?.[1]?.toLowerCase() ?? null;
}

/** Returns a MIME type in lower case without its parameters, or `null` if it is empty. */
export function normalizedMimeType(mimeType: string | null): string | null {
  return mimeType?.split(";")[0]?.trim().toLowerCase() || null;
}
