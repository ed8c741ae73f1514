import type { Metadata } from "../../types.js";
import { collapseWhitespace } from "../../util/collapse-whitespace.js";
import { unescapeXml } from "../shared/xml/xml-text.js";

/** The text of one speaker in one cue. */
export interface Cue {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** The name in the voice tag; `null` if there is none. */
  readonly speaker: string | null;
  readonly text: string;
}

export interface CueFile {
  readonly cues: readonly Cue[];
  readonly title: string | null;
  readonly metadata: Metadata;
}

const TIME_PATTERN = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})`;
const TIMING_PATTERN = new RegExp(String.raw`^\s*${TIME_PATTERN}[ \t]*-->[ \t]*${TIME_PATTERN}`);

/** Reads the cues of a WebVTT or SubRip file. Skips notes, styles and cue numbers. */
export function readCues(text: string): CueFile {
  const lines = text.split("\n");
  const cues: Cue[] = [];
  const metadata: Record<string, string> = {};
  const title = /^WEBVTT[ \t]+(?:-[ \t]*)?(\S.*)$/.exec(lines[0] ?? "")?.[1]?.trim() ?? null;
  const firstTiming = lines.findIndex((line) => TIMING_PATTERN.test(line));
  for (const line of lines.slice(1, Math.max(1, firstTiming))) {
    const language = /^Language:\s*(\S+)/i.exec(line)?.[1];
    if (language !== undefined) metadata.language = language;
  }
  let previousTexts: readonly string[] = [];
  for (let i = Math.max(0, firstTiming); i < lines.length; i++) {
    const timing = TIMING_PATTERN.exec(lines[i]!);
    if (timing === null) continue;
    const [startSeconds, endSeconds] = [secondsOf(timing, 1), secondsOf(timing, 5)];
    const payload: string[] = [];
    while (i + 1 < lines.length && lines[i + 1]!.trim() !== "" && !TIMING_PATTERN.test(lines[i + 1]!))
      payload.push(lines[++i]!);
    // If no blank line separates two SubRip cues, the last line before the next timing is a cue number.
    if (i + 1 < lines.length && TIMING_PATTERN.test(lines[i + 1]!) && /^\s*\d+\s*$/.test(payload.at(-1) ?? ""))
      payload.pop();
    const cueLines = parsePayload(payload);
    // Rolling captions repeat the previous line above each new one.
    const newLines = cueLines.filter((line) => !previousTexts.includes(line.text));
    previousTexts = cueLines.map((line) => line.text);
    for (const line of newLines) cues.push({ startSeconds, endSeconds, ...line });
  }
  return { cues, title, metadata };
}

function secondsOf(timing: RegExpExecArray, group: number): number {
  const [hours = "0", minutes, seconds, fraction] = timing.slice(group, group + 4);
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`);
}

/** Returns the lines of a cue without markup, each with the speaker of the last voice tag before it. */
function parsePayload(payload: readonly string[]): { speaker: string | null; text: string }[] {
  let speaker: string | null = null;
  const lines: { speaker: string | null; text: string }[] = [];
  for (const part of payload.join("\n").split(/(?=<v[ .][^<>]*>)|\n/)) {
    const voice = /^<v(?:\.[^\s<>]*)?[ \t]+([^<>]*)>/.exec(part);
    if (voice !== null) speaker = unescapeXml(voice[1]!).trim() || null;
    const text = collapseWhitespace(unescapeXml(part.replace(/<[^<>]*>|\{\\[^{}]*\}/g, "")));
    if (text !== "") lines.push({ speaker, text });
  }
  return lines;
}
