/** The headers that identify a version of a file or page, as received. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export function validatorsOf(headers: Headers): Validators {
  return { etag: headers.get("etag"), lastModified: headers.get("last-modified") };
}

/** Returns headers that ask for other versions only. Servers prefer the entity tag to the date (RFC 9110, 13.1). */
export function conditionalHeaders({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag && { "if-none-match": etag }),
    ...(lastModified && { "if-modified-since": lastModified }),
  };
}
