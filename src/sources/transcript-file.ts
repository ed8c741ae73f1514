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
  const pad = (value: number, width: number) => String(value).padStart(width, "0");
  const totalSeconds = Math.floor(milliseconds / 1000);
  const clock = [totalSeconds / 3600, (totalSeconds / 60) % 60, totalSeconds % 60].map((part) =>
    pad(Math.floor(part), 2),
  );
  return `${clock.join(":")}.${pad(milliseconds % 1000, 3)}`;
}
