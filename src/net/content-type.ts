/** The parts of a `Content-Type` header. */
export interface ContentType {
  /** Lower case, without parameters; `null` if it is missing or says nothing about the content. */
  readonly mimeType: string | null;
  readonly charset: string | null;
}

/** Types that servers send for unknown files. */
const GENERIC_TYPE =
  /^(?:(?:application|binary)\/(?:octet-stream|x-download|force-download|unknown)|unknown\/unknown)?$/;

export function parseContentType(header: string | null): ContentType {
  const mimeType = header?.split(";")[0]?.trim().toLowerCase() ?? "";
  const charset = /;\s*charset\s*=\s*"?\s*([^\s";]+)/i.exec(header ?? "")?.[1] ?? null;
  return { mimeType: GENERIC_TYPE.test(mimeType) ? null : mimeType, charset };
}
