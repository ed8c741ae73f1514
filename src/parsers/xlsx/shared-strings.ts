import { scanXml } from "../shared/xml/scan-xml.js";
import { unescaped } from "./escaped-text.js";

/** The shared strings of cells, without phonetic readings. */
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
      if (name === "si") strings.push(unescaped(text));
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
