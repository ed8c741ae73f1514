import type { VideoTranscript } from "../interfaces/video-source.js";

/** Converts a transcript to a WebVTT file, which the subtitle parser reads. */
export function toWebVtt({ captions, details, language }: VideoTranscript): Uint8Array {
  const title = details.title?.replace(/\s+/g, " ").trim() ?? "";
  const lines = [title === "" ? "WEBVTT" : `WEBVTT - ${title}`, `Language: ${language}`, ""];
  let previousText = "";
  for (const { startSeconds, endSeconds, text } of captions) {
    const timing = `${formatTime(startSeconds)} --> ${formatTime(Math.max(startSeconds, endSeconds))}`;
    const cueText = text.replace(/\s+/g, " ").trim();
    // Parsers merge a cue that repeats the previous cue (roll-up captions). An empty cue keeps a real repetition.
    if (cueText === previousText) lines.push(timing, "");
    lines.push(timing, cueText.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"), "");
    previousText = cueText;
  }
  return new TextEncoder().encode(lines.join("\n"));
}

/** Formats a time as `hh:mm:ss.mmm`. */
function formatTime(seconds: number): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const pad = (value: number, width: number) => String(Math.floor(value)).padStart(width, "0");
  const totalSeconds = milliseconds / 1000;
  const clock = [totalSeconds / 3600, (totalSeconds / 60) % 60, totalSeconds % 60]
    .map((part) => pad(part, 2))
    .join(":");
  return `${clock}.${pad(milliseconds % 1000, 3)}`;
}
