import type { EngineMetadata } from "../types.js";
import { collapseWhitespace } from "../util/collapse-whitespace.js";

/** A search hit, from the library or from an HTTP response. */
export interface CitedHit {
  /** `<documentId>#<sequence number>`. */
  readonly id: string;
  readonly pages?: readonly [first: number, last: number] | undefined;
  readonly metadata?: Partial<EngineMetadata> | undefined;
}

const SLIDES = /\.(?:pptx?|pptm|ppsx?|odp|key)$/i;
const SHEETS = /\.(?:xlsx?|xlsm|xlsb|ods)$/i;

/**
 * Formats the origin of a hit as one readable line: the file, its pages (slides, sheets), the time in a video, the
 * headings and the URL. Omits missing parts. If there is no name, uses the document's id.
 *
 * @example
 * formatCitation(hit); // Keeper's manual.pdf, p. 3–4, "Lamp > Lighting"
 * formatCitation(page); // Opening hours, "Visits", https://example.com/hours
 * formatCitation(video); // How a lamp is lit, 1:02, https://www.youtube.com/watch?v=jNQXAC9IVRw
 */
export function formatCitation({ id, pages, metadata = {} }: CitedHit): string {
  const { filename, url, headings, youtube_title: title, youtube_timestamp: seconds } = metadata;
  const name = textOf(filename) ?? textOf(title) ?? textOf(url) ?? id.replace(/#\d+$/, "");
  const path = headingsOf(headings);
  return [
    name,
    pages === undefined ? null : formatPages(name, pages),
    typeof seconds === "number" ? formatTime(seconds) : null,
    path === "" ? null : `"${path}"`,
    url === name ? null : textOf(url),
  ]
    .filter((part) => part !== null)
    .join(", ");
}

/** Returns a value's text, or `null`: the caller's metadata may use the same keys for something else. */
function textOf(value: unknown): string | null {
  const text = typeof value === "string" ? collapseWhitespace(value) : "";
  return text === "" ? null : text;
}

function headingsOf(value: unknown): string {
  const headings: readonly unknown[] = Array.isArray(value) ? value : [value];
  return headings.flatMap((heading) => textOf(heading) ?? []).join(" > ");
}

function formatPages(name: string, [first, last]: readonly [number, number]): string {
  const label = SLIDES.test(name) ? "slide" : SHEETS.test(name) ? "sheet" : "p.";
  return first === last ? `${label} ${first}` : `${label} ${first}–${last}`;
}

/** Formats a time as `1:02`, or as `1:01:02` from one hour on. */
function formatTime(totalSeconds: number): string {
  const [hours, minutes] = [Math.floor(totalSeconds / 3600), Math.floor(totalSeconds / 60) % 60];
  const seconds = Math.floor(totalSeconds) % 60;
  const minutesAndSeconds = `${String(minutes).padStart(hours > 0 ? 2 : 1, "0")}:${String(seconds).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${minutesAndSeconds}` : minutesAndSeconds;
}
