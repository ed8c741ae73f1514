import type { Caption } from "../../interfaces/video-source.js";
import { countAt, type Json, listAt, textAt } from "./json-value.js";

/** Reads a transcript as the site gives it, JSON or XML; null where it is neither. */
export function readCaptions(answer: string): readonly Caption[] | null {
  const text = answer.trim();
  if (text.startsWith("{")) return readJson(text);
  return /^(?:<\?xml[^>]*>\s*)?<(?:transcript|timedtext)[\s>]/.test(text) ? readXml(text) : null;
}

function readJson(text: string): readonly Caption[] | null {
  let answer: Json;
  try {
    answer = JSON.parse(text);
  } catch {
    return null;
  }
  return listAt(answer, "events").flatMap((event) => {
    const said = listAt(event, "segs").map((segment) => textAt(segment, "utf8") ?? "");
    return caption(countAt(event, "tStartMs") ?? 0, countAt(event, "dDurationMs") ?? 0, said.join(""));
  });
}

/** `<text start="1.5" dur="2">` in seconds, or `<p t="1500" d="2000">` in milliseconds. */
function readXml(text: string): readonly Caption[] {
  return [...text.matchAll(/<(text|p)\b([^<>]*)>(.*?)<\/\1>/gs)].flatMap(([, , attributes = "", inner = ""]) => {
    const value = (name: string): number => {
      const found = new RegExp(String.raw`(?:^|\s)${name}="([\d.]+)"`).exec(attributes);
      return found === null ? Number.NaN : Number(found[1]);
    };
    const start = value("start") * 1000;
    // The older form escapes its text twice.
    const said = unescaped(unescaped(inner.replace(/<[^<>]*>/g, "")));
    return Number.isNaN(start)
      ? caption(value("t") || 0, value("d") || 0, said)
      : caption(start, (value("dur") || 0) * 1000, said);
  });
}

function caption(startMs: number, durationMs: number, said: string): readonly Caption[] {
  const text = said.replace(/[\s\u200b]+/g, " ").trim();
  if (text === "") return [];
  return [{ startSeconds: startMs / 1000, endSeconds: (startMs + durationMs) / 1000, text }];
}

const ENTITIES = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }));

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(String(name).toLowerCase()) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
