/** Match the declaration of a charset near the top of a text file. */
const DECLARATION_PATTERNS: readonly RegExp[] = [
  /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)["']/i,
  /<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]+)/i,
  /-\*-[^\n]{0,200}?coding:\s*([\w.:-]+)/i,
  /\\usepackage\s*\[([\w-]+)\]\s*\{inputenc\}/,
  /^#\+CODING:\s*([\w.:-]+)/im,
];

/** Charsets by the names that only LaTeX uses. */
const LATEX_NAMES = new Map(
  Object.entries({
    ansinew: "windows-1252",
    applemac: "macintosh",
    cp1250: "windows-1250",
    cp1251: "windows-1251",
    cp1252: "windows-1252",
    latin9: "iso-8859-15",
    utf8x: "utf-8",
  }),
);

/** Returns the charset that a text file declares in XML, HTML `meta`, an editor mode line or LaTeX; `null` if none. */
export function declaredCharset(bytes: Uint8Array): string | null {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, 4096));
  for (const pattern of DECLARATION_PATTERNS) {
    const name = pattern.exec(head)?.[1]?.toLowerCase();
    if (name !== undefined) return LATEX_NAMES.get(name) ?? name;
  }
  return null;
}
