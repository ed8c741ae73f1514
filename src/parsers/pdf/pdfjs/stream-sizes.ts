import { inflateSync } from "node:zlib";
import { PARSE_LIMITS } from "../../limits.js";
import { fileOverLimit } from "../../shared/errors/file-errors.js";

const MEGABYTE = 1024 * 1024;
/** Text and font streams are far smaller; a larger stream is an attack or damage. */
const MAX_STREAM_BYTES = 64 * MEGABYTE;
/** Maximum compression ratio of deflate: streams too short to inflate to a megabyte are not checked. */
const MAX_DEFLATE_RATIO = 1032;
const MAX_DICTIONARY_BYTES = 400;

interface Stream {
  readonly start: number;
  readonly end: number;
  readonly filterCount: number;
  /** The largest size that the stream can have. */
  readonly maxSize: number;
}

/**
 * Rejects a PDF whose compressed streams, except images, inflate to more than 64 MB each or 300 MB in total: pdfjs has
 * no limit of its own. Streams are inflated, the largest first, until the rest can't exceed the limit, so that those of
 * most files aren't inflated at all. Skips streams that cannot be inflated here, such as encrypted ones.
 * @throws `limit_exceeded`
 */
export function assertStreamsWithinLimit(name: string | null, bytes: Uint8Array): void {
  const streams = compressedStreams(bytes).sort((a, b) => b.maxSize - a.maxSize);
  let total = 0;
  let maxRest = streams.reduce((sum, { maxSize }) => sum + maxSize, 0);
  for (const { start, end, filterCount, maxSize } of streams) {
    if (maxSize <= MAX_STREAM_BYTES && total + maxRest <= PARSE_LIMITS.maxInflatedBytes) return;
    maxRest -= maxSize;
    total += inflatedSize(bytes.subarray(start, end), filterCount);
    if (total > PARSE_LIMITS.maxInflatedBytes) {
      throw fileOverLimit(
        name,
        `has streams that inflate to more than the ${PARSE_LIMITS.maxInflatedBytes / MEGABYTE} MB allowed.`,
      );
    }
  }
}

/** Finds the compressed streams of a PDF that may inflate to more than a megabyte. */
function compressedStreams(bytes: Uint8Array): Stream[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const streams: Stream[] = [];
  for (let at = buffer.indexOf("stream"); at !== -1; at = buffer.indexOf("stream", at + 6)) {
    if (buffer.toString("latin1", at - 3, at) === "end") continue;
    const end = buffer.indexOf("endstream", at);
    if (end === -1) break;
    const dict = buffer
      .toString("latin1", Math.max(0, at - MAX_DICTIONARY_BYTES), at)
      .split(/\bobj\b/)
      .at(-1)!;
    const start = at + (buffer[at + 6] === 13 ? 8 : 7);
    const filterCount = /\/Subtype\s*\/Image/.test(dict) ? 0 : (dict.match(/\/(?:FlateDecode|Fl)\b/g)?.length ?? 0);
    const maxSize = (end - start) * MAX_DEFLATE_RATIO ** filterCount;
    if (filterCount > 1 || (filterCount === 1 && maxSize > MEGABYTE))
      streams.push({ start, end, filterCount, maxSize });
    at = end + 3;
  }
  return streams;
}

/** Returns the size of a stream inflated through its filters; infinite if too large, 0 if it cannot be inflated. */
function inflatedSize(data: Uint8Array, filterCount: number): number {
  let bytes = data;
  try {
    for (let i = 0; i < filterCount; i++) bytes = inflateSync(bytes, { maxOutputLength: MAX_STREAM_BYTES });
    return bytes.length;
  } catch (error) {
    return error instanceof RangeError ? Number.POSITIVE_INFINITY : 0;
  }
}
