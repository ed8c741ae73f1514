import type { Caption } from "../../interfaces/video-source.js";
import { unescapeXml } from "../../parsers/shared/xml/xml-text.js";
import { listAt, numberAt, parseJson, textAt } from "./json-value.js";

/** Parses a transcript in JSON or XML. Returns `null` for any other text. */
export function readCaptions(body: string): readonly Caption[] | null {
  const text = body.trim();
  if (text.startsWith("{")) return parseJsonCaptions(text);
  return /^(?:<\?xml[^>]*>\s*)?<(?:transcript|timedtext)[\s>]/.test(text) ? parseXmlCaptions(text) : null;
}

function parseJsonCaptions(text: string): readonly Caption[] | null {
  const response = parseJson(text);
  if (response === null) return null;
  return listAt(response, "events").flatMap((event) => {
    const segments = listAt(event, "segs").map((segment) => textAt(segment, "utf8") ?? "");
    return toCaptions(numberAt(event, "tStartMs") ?? 0, numberAt(event, "dDurationMs") ?? 0, segments.join(""));
  });
}

/** Parses captions like `<text start="1.5" dur="2">` in seconds, or `<p t="1500" d="2000">` in milliseconds. */
function parseXmlCaptions(text: string): readonly Caption[] {
  return [...text.matchAll(/<(text|p)\b([^<>]*)>(.*?)<\/\1>/gs)].flatMap(([, , attributes = "", content = ""]) => {
    const value = (name: string): number => {
      const match = new RegExp(String.raw`(?:^|\s)${name}="([\d.]+)"`).exec(attributes);
      return match === null ? Number.NaN : Number(match[1]);
    };
    const startMs = value("start") * 1000;
    // The older format escapes its text twice.
    const spokenText = unescapeXml(unescapeXml(content.replace(/<[^<>]*>/g, ""))).replaceAll("&nbsp;", " ");
    return Number.isNaN(startMs)
      ? toCaptions(value("t") || 0, value("d") || 0, spokenText)
      : toCaptions(startMs, (value("dur") || 0) * 1000, spokenText);
  });
}

/** Returns a list of the caption; empty if its text is empty. */
function toCaptions(startMs: number, durationMs: number, spokenText: string): readonly Caption[] {
  const text = spokenText.replace(/[\s\u200b]+/g, " ").trim();
  if (text === "") return [];
  return [{ startSeconds: startMs / 1000, endSeconds: (startMs + durationMs) / 1000, text }];
}
