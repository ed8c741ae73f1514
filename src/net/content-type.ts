/** The parts of a `Content-Type` header. */
export interface ContentType {
  /** Lower case, without parameters; empty if missing. */
  readonly mimeType: string;
  readonly charset: string | null;
}

export function parseContentType(header: string | null): ContentType {
  const mimeType = header?.split(";")[0]?.trim().toLowerCase() ?? "";
  const charset = /;\s*charset\s*=\s*"?\s*([^\s";]+)/i.exec(header ?? "")?.[1] ?? null;
  return { mimeType, charset };
}
