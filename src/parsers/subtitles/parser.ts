import type { Parser } from "../../interfaces/parser.js";
import { PAGELESS_OPTIONS } from "../pageless-options.js";
import { BlockList } from "../shared/blocks/block-list.js";
import { pagelessDocument } from "../shared/blocks/pageless-document.js";
import { decodeText } from "../shared/charset/decode-text.js";
import { readText } from "../shared/charset/read-text.js";
import { invalidFile } from "../shared/errors/file-errors.js";
import { joinCues } from "./cue-paragraphs.js";
import { readCues } from "./read.js";

const SUBRIP_TYPE = "application/x-subrip";

/**
 * Parses WebVTT and SubRip subtitles and transcripts. The text of one speaker without a pause becomes a paragraph that
 * begins with its start time, as in `[01:02:03] Zoë: Welcome.`
 */
export const subtitlesParser: Parser = {
  name: "subtitles",
  mimeTypes: ["text/vtt", SUBRIP_TYPE],
  extensions: ["vtt", "srt"],
  supportedOptions: PAGELESS_OPTIONS,
  detect: (head) =>
    /^(?:WEBVTT(?:[ \t][^\n]*)?\n|\s*\d+[ \t]*\n\d{1,2}:\d\d:\d\d[,.]\d{1,3} --> \d)/.test(decodeText(head).text),
  async parse(file, options) {
    const { text } = await readText(file.bytes);
    options.signal?.throwIfAborted();
    const { cues, metadata, title } = readCues(text);
    if (cues.length === 0) throw invalidFile(file.name, "has no subtitles.");
    const list = new BlockList();
    for (const { startSeconds, speaker, text, times } of joinCues(cues)) {
      const prefix = `[${formatTime(startSeconds)}] ${speaker === null ? "" : `${speaker}: `}`;
      const cueTimes = times.map(([offset, seconds]) => [offset === 0 ? 0 : prefix.length + offset, seconds] as const);
      list.add("paragraph", prefix + text, { times: cueTimes });
    }
    const durationSeconds = Math.max(...cues.slice(-100).map((cue) => cue.endSeconds));
    const mimeType = text.startsWith("WEBVTT") ? "text/vtt" : SUBRIP_TYPE;
    return pagelessDocument(list.blocks, mimeType, { title, metadata: { ...metadata, durationSeconds } });
  },
};

/** Formats a time as `mm:ss`, or as `hh:mm:ss` from one hour on. */
function formatTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 60) % 60, whole % 60];
  if (whole >= 3600) parts.unshift(Math.floor(whole / 3600));
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
