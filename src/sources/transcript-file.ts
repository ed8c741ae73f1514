import type { VideoTranscript } from "../interfaces/video-source.js";

/** Writes a transcript as a WebVTT file, for the subtitle parser. */
export function toWebVtt({ captions, details, language }: VideoTranscript): Uint8Array {
  const title = details.title?.replace(/\s+/g, " ").trim() ?? "";
  const lines = [title === "" ? "WEBVTT" : `WEBVTT - ${title}`, `Language: ${language}`, ""];
  let previousText = "";
  for (const { startSeconds, endSeconds, text } of captions) {
    const timing = `${formatTime(startSeconds)} --> ${formatTime(Math.max(startSeconds, endSeconds))}`;
    const cueText = text.replace(/\s+/g, " ").trim();
    // Parsers merge a cue that repeats the previous one (roll-up captions). An empty cue keeps a real repetition.
    if (cueText === previousText) lines.push(timing, "");
    lines.push(timing, cueText.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"), "");
    previousText = cueText;
  }
  return new TextEncoder().encode(lines.join("\n"));
}

/** As `hh:mm:ss.mmm`. */
function formatTime(seconds: number): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const pad = (value: number, width: number) => String(Math.floor(value)).padStart(width, "0");
  const total = milliseconds / 1000;
  const clock = [total / 3600, (total / 60) % 60, total % 60].map((part) => pad(part, 2)).join(":");
  return `${clock}.${pad(milliseconds % 1000, 3)}`;
}
