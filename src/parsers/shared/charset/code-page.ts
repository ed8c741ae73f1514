import { latin1ToWindows1252 } from "./decode-text.js";

/** The upper half of DOS code pages, which `TextDecoder` doesn't support. */
const DOS_CODE_PAGES: Readonly<Record<number, string>> = {
  437: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\xa0",
  850: "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\xad±‗¾¶§÷¸°¨·¹³²■\xa0",
};

/** The `TextDecoder` labels of code pages. */
const LABELS: Readonly<Record<number, string>> = {
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  10001: "shift_jis",
  10007: "x-mac-cyrillic",
  20866: "koi8-r",
  20932: "euc-jp",
  21866: "koi8-u",
  51932: "euc-jp",
  51949: "euc-kr",
  54936: "gb18030",
  65001: "utf-8",
};

type Decoder = InstanceType<typeof TextDecoder>;

const decoders = new Map<number, Decoder | null>();

/** Decodes bytes of a Windows, DOS or Macintosh code page; treats an unknown code page as windows-1252. */
export function decodeCodePage(bytes: Uint8Array, codePage: number): string {
  const dos = DOS_CODE_PAGES[codePage];
  if (dos !== undefined) return toLatin1(bytes).replace(/[\x80-\xff]/g, (char) => dos[char.charCodeAt(0) - 0x80]!);
  const decoder = decoderOf(codePage);
  if (decoder !== null) return decoder.decode(bytes);
  return latin1ToWindows1252(toLatin1(bytes));
}

function decoderOf(codePage: number): Decoder | null {
  let decoder = decoders.get(codePage);
  if (decoder === undefined) {
    const label = labelOf(codePage);
    decoder = label === null ? null : new TextDecoder(label, { ignoreBOM: true });
    decoders.set(codePage, decoder);
  }
  return decoder;
}

function labelOf(codePage: number): string | null {
  if (codePage >= 1250 && codePage <= 1258 && codePage !== 1252) return `windows-${codePage}`;
  if (codePage >= 28592 && codePage <= 28606 && codePage !== 28599) return `iso-8859-${codePage - 28590}`;
  return LABELS[codePage] ?? null;
}

function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
