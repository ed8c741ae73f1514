import type { VideoTranscript } from "../interfaces/video-source.js";

/** A transcript as a WebVTT file, which subtitles are read from. */
export function transcriptFile({ captions, details, language }: VideoTranscript): Uint8Array {
  const title = details.title?.replace(/\s+/g, " ").trim() ?? "";
  const lines = [title === "" ? "WEBVTT" : `WEBVTT - ${title}`, `Language: ${language}`, ""];
  let before = "";
  for (const { startSeconds, endSeconds, text } of captions) {
    const timing = `${clock(startSeconds)} --> ${clock(Math.max(startSeconds, endSeconds))}`;
    const said = text.replace(/\s+/g, " ").trim();
    // A cue that shows once more what the one before showed says nothing new; this one does, so an empty one parts them.
    if (said === before) lines.push(timing, "");
    lines.push(timing, said.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"), "");
    before = said;
  }
  return new TextEncoder().encode(lines.join("\n"));
}

/** `hh:mm:ss.mmm`. */
function clock(seconds: number): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const part = (value: number, width: number) => String(value).padStart(width, "0");
  const whole = Math.floor(milliseconds / 1000);
  return `${part(Math.floor(whole / 3600), 2)}:${part(Math.floor(whole / 60) % 60, 2)}:${part(whole % 60, 2)}.${part(milliseconds % 1000, 3)}`;
}
