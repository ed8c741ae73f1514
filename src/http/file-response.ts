import { create as contentDisposition } from "content-disposition";
import type { ByteRange, Download } from "../index.js";

/** Opens a file, whole or one range of it. */
export type OpenFile = (range?: ByteRange) => Promise<Download>;

/** Responds with a file, or with the range that the request asks for. Browsers save an `attachment`. */
export async function fileResponse(
  request: Request,
  open: OpenFile,
  headers: Readonly<Record<string, string>>,
  disposition: "attachment" | "inline" = "attachment",
): Promise<Response> {
  const whole = await open();
  const respond = (
    file: Download,
    status: 200 | 206,
    length: number,
    extraHeaders: Readonly<Record<string, string>> = {},
  ) =>
    new Response(file.body, {
      status,
      headers: {
        ...headers,
        ...extraHeaders,
        "content-length": String(length),
        "content-type": file.mimeType,
        "content-disposition": contentDisposition(baseName(file.fileName), { type: disposition }),
        "accept-ranges": "bytes",
        ...(file.etag === null ? {} : { etag: `"${file.etag}"` }),
      },
    });
  const range = isUnchanged(request.headers, whole) ? parseRange(request.headers.get("range"), whole.size) : null;
  if (range === null) return respond(whole, 200, whole.size);
  await whole.body.cancel();
  const span = range === "unsatisfiable" ? "*" : `${range.start}-${range.end - 1}`;
  const contentRange = { "content-range": `bytes ${span}/${whole.size}` };
  if (range === "unsatisfiable") return new Response(null, { status: 416, headers: contentRange });
  const part = await open(range);
  // The document was ingested again in the meantime, so the range belongs to another file.
  if (part.etag !== whole.etag || part.size !== whole.size) {
    await part.body.cancel();
    return fileResponse(request, open, headers, disposition);
  }
  return respond(part, 206, range.end - range.start, contentRange);
}

/** Returns whether the client's range is of this version of the file (If-Range, RFC 9110, section 13.1.5). */
function isUnchanged(headers: Headers, { etag }: Download): boolean {
  const condition = headers.get("if-range");
  return condition === null || condition === `"${etag}"`;
}

/** Removes folders from the name, since not every client does so when saving the file. */
function baseName(fileName: string): string {
  const name = fileName.split(/[/\\]/).at(-1)!;
  return /^\.{0,2}$/.test(name) ? "file" : name;
}

/**
 * Parses a Range header (RFC 9110, section 14) for a file of `size` bytes. Returns `null` for the whole file: without a
 * header, for several ranges and for an invalid header, as the RFC allows.
 */
function parseRange(header: string | null, size: number): ByteRange | "unsatisfiable" | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  if (last !== "" && Number(last) < start) return null;
  if (start >= size) return "unsatisfiable";
  return { start, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}
