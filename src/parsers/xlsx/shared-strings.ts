import { scanXml } from "../shared/xml/scan-xml.js";
import { unescapeText } from "./escaped-text.js";

/** Reads the strings that cells share, without phonetic readings. */
export async function readSharedStrings(bytes: Uint8Array, signal: AbortSignal | undefined): Promise<string[]> {
  const strings: string[] = [];
  let text = "";
  let isPhonetic = false;
  let isText = false;
  const handler = {
    open(name: string): void {
      if (name === "si") text = "";
      else if (name === "rPh") isPhonetic = true;
      else if (name === "t") isText = !isPhonetic;
    },
    close(name: string): void {
      if (name === "si") strings.push(unescapeText(text));
      else if (name === "rPh") isPhonetic = false;
      else if (name === "t") isText = false;
    },
    text(piece: string): void {
      if (isText) text += piece;
    },
  };
  await scanXml(bytes, handler, signal);
  return strings;
}
